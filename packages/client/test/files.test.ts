import {
  editObservation,
  editArgs,
  errorObservation,
  readObservation,
  writeObservation,
} from '@fairlead/protocol';
import { describe, expect, it } from 'vitest';
import { actionsRoute, json, sessionId, state } from './support/test-gateway.ts';
import { useGateway } from './support/use-gateway.ts';

describe('files', () => {
  const held = useGateway();
  const session = () => held.client.session(sessionId);
  const answerActions = (observation: unknown) =>
    held.gateway.routes.set(actionsRoute, (_request, response) => json(response, observation));

  it('are read and written, and a failure has the runtime’s words', async () => {
    answerActions(readObservation('/workspace/a', 'text'));
    expect(await session().read('a')).toBe('text');
    answerActions(writeObservation('/workspace/a'));
    await session().write('a', 'new\n');
    expect(JSON.parse(String(held.gateway.requests.at(-1)?.body))).toEqual({
      action: 'write',
      args: { path: 'a', content: 'new' },
    });
    answerActions(errorObservation('File not found: /workspace/b.'));
    await expect(session().read('b')).rejects.toMatchObject({
      code: 'action-failed',
      message: 'File not found: /workspace/b.',
    });
  });

  it('are edited, and a refused edit is a failure', async () => {
    const args = { command: 'str_replace', path: '/workspace/a', old_str: 'x', new_str: 'y' };
    answerActions(editObservation(editArgs.parse(args), 'The file has been edited.'));
    expect(await session().edit(args)).toBe('The file has been edited.');
    answerActions(editObservation(editArgs.parse(args), 'ERROR:\nNo match'));
    await expect(session().edit(args)).rejects.toMatchObject({ code: 'action-failed' });
  });

  it('are listed', async () => {
    held.gateway.routes.set(`POST /runtimes/${sessionId}/list_files`, (_request, response) =>
      json(response, ['src/', 'a.txt']),
    );
    expect(await session().list('.')).toEqual(['src/', 'a.txt']);
  });

  const bytes = Uint8Array.from({ length: 300_000 }, (_value, index) => (index * 7) % 256);
  const uploads = [
    { name: 'a text', data: () => 'Grüße', expected: Buffer.from('Grüße') },
    { name: 'bytes', data: () => bytes, expected: Buffer.from(bytes) },
    { name: 'a stream', data: () => new Blob([bytes]).stream(), expected: Buffer.from(bytes) },
  ];
  for (const { name, data, expected } of uploads) {
    it(`are uploaded from ${name}, byte for byte`, async () => {
      let file: File | undefined;
      held.gateway.routes.set(`POST /runtimes/${sessionId}/upload_file`, async (request, response) => {
        expect(Object.fromEntries(request.query)).toEqual({ destination: '/workspace', recursive: 'false' });
        const type = String(request.headers['content-type']);
        const form = await new Response(new Uint8Array(request.body), {
          headers: { 'content-type': type },
        }).formData();
        file = form.get('file') as File;
        json(response, {});
      });
      await session().upload(data(), { directory: '/workspace', name: 'a "b".bin' });
      expect(file?.name).toBe('a "b".bin');
      expect(Buffer.from(await (file as File).arrayBuffer()).equals(expected)).toBe(true);
    });
  }

  it('are downloaded as a stream', async () => {
    held.gateway.routes.set(`GET /runtimes/${sessionId}/download_files`, (request, response) => {
      expect(request.query.get('path')).toBe('/workspace/a b');
      response.end(bytes);
    });
    const stream = await session().download('/workspace/a b');
    expect(Buffer.from(await new Response(stream).arrayBuffer()).equals(Buffer.from(bytes))).toBe(true);
  });

  it('come with a journal that is read line by line', async () => {
    held.gateway.routes.set(`GET /api/sessions/${sessionId}/journal`, (request, response) => {
      expect(request.query.get('after')).toBe('4');
      response.write(`${JSON.stringify(state(5))}\n${JSON.stringify(state(6)).slice(0, 20)}`);
      response.end(`${JSON.stringify(state(6)).slice(20)}\n`);
    });
    const events = await collect(session().journal({ after: 4 }));
    expect(events).toMatchObject([{ seq: 5 }, { seq: 6 }]);
  });

  it('come with a journal that is not taken for whole when it breaks off', async () => {
    held.gateway.routes.set(`GET /api/sessions/${sessionId}/journal`, (_request, response) => {
      response.write(`${JSON.stringify(state(5))}\n`, () => response.destroy());
    });
    await expect(collect(session().journal())).rejects.toMatchObject({ code: 'unreachable' });
  });
});

async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const collected: Value[] = [];
  for await (const value of values) collected.push(value);
  return collected;
}
