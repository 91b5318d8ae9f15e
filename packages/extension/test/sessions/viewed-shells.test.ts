import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import type { AgentSession } from '../../src/sessions/agent-session.ts';
import { connectTo, run, SessionPlace } from '../support/session-place.ts';

describe("a person who attaches to an agent's shell from elsewhere", () => {
  test('sees what it has shown and what it shows', async () => {
    const { session } = await new SessionPlace().open();
    await run(session, 'echo ear""lier');
    const viewer = view(session, 'main');
    await expect.poll(() => viewer.seen(), { timeout: 15_000 }).toContain('earlier');
    await run(session, 'echo la""ter');
    await expect.poll(() => viewer.seen(), { timeout: 15_000 }).toContain('later');
  });

  test('can neither type into it nor give it another size', async () => {
    const place = new SessionPlace();
    const { session, consent } = await place.open();
    const { content: before } = await run(session, 'stty size');
    const { socket } = view(session, 'main', '?cols=80&rows=20');
    await once(socket, 'message');
    socket.send(Buffer.from('touch typed\r'));
    socket.send(JSON.stringify({ type: 'input', data: 'touch typed\r' }));
    socket.send(JSON.stringify({ type: 'resize', cols: 90, rows: 30 }));
    // Answered after all that was sent before it.
    socket.ping();
    await once(socket, 'pong');
    expect((await run(session, 'stty size')).content).toBe(before);
    expect(existsSync(join(place.root, 'typed'))).toBe(false);
    expect(consent.seen).toEqual(['stty size', 'stty size']);
  });

  test('opens none, and is told what does', async () => {
    const place = new SessionPlace();
    const { session } = await place.open();
    const { socket } = view(session, 'main');
    const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
    expect({ code, reason: reason.toString() }).toEqual({
      code: 1008,
      reason: "the shell is not open in this window; it opens with the agent's first command",
    });
    expect(place.processes()).toEqual([]);
  });
});

function view(session: AgentSession, shell: string, query = ''): { socket: WebSocket; seen: () => string } {
  const socket = new WebSocket(`ws://session/shells/${shell}/terminal${query}`, {
    createConnection: () => connectTo(session),
  });
  onTestFinished(() => socket.terminate());
  const chunks: Buffer[] = [];
  socket.on('message', (data: Buffer) => chunks.push(data));
  return { socket, seen: () => Buffer.concat(chunks).toString() };
}
