import { describe, expect, test } from 'vitest';
import { startTestServer } from './support/test-server.ts';

describe('the terminal', () => {
  test('shows the screen so far, then what is typed', async () => {
    const { watch } = await startTestServer();
    const viewer = watch('/shells/main/terminal');
    await viewer.until(({ bytes }) => bytes.toString() === '$ ');
    viewer.socket.send(Buffer.from([0x6c, 0x73, 0xff]));
    await viewer.until(({ bytes }) => bytes.length === 5);
    expect(viewer.bytes.subarray(2)).toEqual(Buffer.from([0x6c, 0x73, 0xff]));
    viewer.socket.send(JSON.stringify({ type: 'input', data: 'pwd\r' }));
    await viewer.until(({ bytes }) => bytes.toString('latin1').endsWith('pwd\r'));
  });

  test('shows its own shell only', async () => {
    const { watch, executor } = await startTestServer();
    const viewer = watch('/shells/one/terminal');
    await viewer.until(({ messages }) => messages.length === 1);
    executor.emit('other', null, 'two');
    executor.emit('mine', null, 'one');
    await viewer.until(({ messages }) => messages.length === 2);
    expect(viewer.bytes.toString()).toBe('$ mine');
  });

  test('the last viewer to leave gives the size back', async () => {
    const { watch, executor } = await startTestServer();
    const shell = await executor.shells.open('main');
    const first = watch('/shells/main/terminal?cols=100&rows=30');
    await first.until(({ messages }) => messages.length === 1);
    expect(shell.size).toEqual({ cols: 100, rows: 30 });
    const second = watch('/shells/main/terminal?cols=120');
    await second.until(({ messages }) => messages.length === 1);
    expect(shell.size).toEqual({ cols: 120, rows: 30 });
    second.socket.send(JSON.stringify({ type: 'resize', cols: 50, rows: 10 }));
    await expect.poll(() => shell.size).toEqual({ cols: 50, rows: 10 });
    second.socket.close();
    await second.closed;
    expect(shell.size).toEqual({ cols: 50, rows: 10 });
    first.socket.close();
    await expect.poll(() => shell.size).toEqual({ cols: 80, rows: 24 });
  });

  test.each([
    'not json',
    '{}',
    '{"type":"resize","cols":1,"rows":5}',
    '{"type":"resize","cols":"80","rows":5}',
  ])('closes on the control message %s', async (message) => {
    const { watch } = await startTestServer();
    const viewer = watch('/shells/main/terminal');
    await viewer.open();
    viewer.socket.send(message);
    expect(await viewer.closed).toEqual({
      code: 1008,
      reason: expect.stringContaining('bad control message'),
    });
  });

  test.each([
    ['/shells/a%20b/terminal', 'shell name'],
    ['/shells/..%2fx/terminal', 'shell name'],
    ['/shells/main/terminal?cols=0', 'cols'],
    ['/shells/main/terminal?rows=x', 'rows'],
  ])('%s is refused with a reason', async (path, reason) => {
    const { watch, executor } = await startTestServer();
    expect(await watch(path).closed).toEqual({ code: 1008, reason: expect.stringContaining(reason) });
    expect(executor.shells.names().every((name) => name === 'main')).toBe(true);
  });

  test('a viewer that cannot follow misses bytes and gets the screen again', async () => {
    const { watch, executor } = await startTestServer();
    const viewer = watch('/shells/main/terminal');
    await viewer.until(({ messages }) => messages.length === 1);
    viewer.socket.pause();
    const shell = executor.sessions.get('main')!;
    shell.recent = Buffer.from('the screen now');
    for (let n = 0; n < 1000; n += 1) executor.emit(Buffer.alloc(100_000, 'x'), null, 'main');
    viewer.socket.resume();
    await viewer.until(({ messages }) => String(messages.at(-1)) === '\x1bcthe screen now');
    expect(viewer.bytes.length).toBeLessThan(50_000_000);
    executor.emit('live again', null, 'main');
    await viewer.until(({ messages }) => String(messages.at(-1)) === 'live again');
  });
});
