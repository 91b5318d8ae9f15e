import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { call, startTestServer, temporaryDirectory, type Json } from './support/test-server.ts';

describe('/list_files', () => {
  test('lists the workspace, a path in it, or an absolute path', async () => {
    const { post, workspace } = await startTestServer();
    await mkdir(join(workspace, 'Sub'));
    await mkdir(join(workspace, 'alpha'));
    for (const name of ['b.txt', 'A.txt', '.hidden', 'Sub/inner']) await writeFile(join(workspace, name), '');
    const all = ['alpha/', 'Sub/', '.hidden', 'A.txt', 'b.txt'];
    expect((await post('/list_files', {})).json).toEqual(all);
    expect((await post('/list_files', { path: null })).json).toEqual(all);
    expect((await post('/list_files', { path: workspace })).json).toEqual(all);
    expect((await post('/list_files', { path: 'Sub' })).json).toEqual(['inner']);
    for (const path of ['b.txt', 'missing', '/missing'])
      expect((await post('/list_files', { path })).json).toEqual([]);
  });

  test.each(['', '[]', '"x"', '{"path": 5}', '{'])('body %j is refused with 422', async (body) => {
    const { post } = await startTestServer();
    expect(await post('/list_files', body)).toMatchObject({
      status: 422,
      json: { errors: expect.any(String) },
    });
  });
});

describe('/upload_file', { tags: ['python3'] }, () => {
  test('stores a file under its name, in a directory that is made', async () => {
    const { server, workspace } = await startTestServer();
    const destination = join(workspace, 'new/deep');
    const { status, json } = await upload(
      server.url,
      destination,
      'naïve 漢.bin',
      new Uint8Array([0, 255, 10]),
    );
    expect([status, json]).toEqual([200, { filename: 'naïve 漢.bin', destination, recursive: false }]);
    expect(await readFile(join(destination, 'naïve 漢.bin'))).toEqual(Buffer.from([0, 255, 10]));
  });

  test.each(['false', 'true'])('unpacks a .zip, recursive=%s', async (recursive) => {
    const { server, workspace } = await startTestServer();
    const zip = await makeZip({ 'top/a.txt': 'A', 'top/sub/b.txt': 'B' });
    const { status, json } = await upload(server.url, workspace, 'x.zip', zip, recursive);
    expect([status, json.recursive]).toEqual([200, recursive === 'true']);
    expect(await readFile(join(workspace, 'top/sub/b.txt'), 'utf8')).toBe('B');
    expect(await readdir(workspace)).toEqual(['top']);
  });

  test('refuses what it cannot do, with the reason, and leaves nothing behind', async () => {
    const { server, workspace, post } = await startTestServer();
    await writeFile(join(workspace, 'file'), '');
    const bytes = new Uint8Array(200_000);
    const refused = async (destination: string, name: string, recursive = 'false') => {
      const { status, json } = await upload(server.url, destination, name, bytes, recursive);
      return [status, json.detail] as const;
    };
    expect(await refused('relative', 'a')).toEqual([400, expect.stringContaining('absolute path')]);
    expect(await refused(workspace, 'a', 'true')).toEqual([
      400,
      expect.stringContaining('must be zip files'),
    ]);
    expect((await refused(workspace, 'bad.zip'))[0]).toBe(400);
    expect((await refused(join(workspace, 'file'), 'a'))[0]).toBe(400);
    expect((await upload(server.url, workspace, 'a', bytes, 'maybe')).status).toBe(422);
    expect(await post(`/upload_file?destination=${workspace}`, '{}')).toMatchObject({
      status: 422,
      json: { errors: expect.stringContaining('file: Field required') },
    });
    const form = new FormData();
    form.append('other', new Blob(['x']), 'x');
    const other = await fetch(`${server.url}/upload_file?destination=${workspace}`, {
      method: 'POST',
      body: form,
    });
    expect(other.status).toBe(422);
    expect(await readdir(workspace)).toEqual(['file']);
  });

  test('an upload that breaks off is not stored', async () => {
    const { server, workspace, get } = await startTestServer();
    const head = [
      `POST /upload_file?destination=${workspace} HTTP/1.1`,
      'host: localhost',
      'content-type: multipart/form-data; boundary=B',
      'content-length: 100000',
      '',
      '--B\r\ncontent-disposition: form-data; name="file"; filename="half.bin"\r\n\r\nhalf of it',
    ];
    const socket = connect(server.port, '127.0.0.1', () => socket.write(head.join('\r\n')));
    await expect.poll(() => readdir(workspace)).not.toEqual([]);
    socket.destroy();
    await expect.poll(() => readdir(workspace)).toEqual([]);
    expect((await get('/alive')).status).toBe(200);
  });
});

describe('/download_files', { tags: ['python3'] }, () => {
  test('streams a directory as a zip with names relative to it', async () => {
    const { server, workspace } = await startTestServer();
    await mkdir(join(workspace, 'tree/empty'), { recursive: true });
    await writeFile(join(workspace, 'tree/a.txt'), 'A');
    const answer = await call(server.port, 'GET', `/download_files?path=${workspace}/tree`);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/zip');
    expect(answer.headers['content-disposition']).toBe('attachment; filename="tree.zip"');
    expect(await namesIn(Buffer.from(answer.text, 'latin1'))).toEqual(['a.txt', 'empty/']);
  });

  test('encodes names that are not plain ASCII', async () => {
    const { server, workspace } = await startTestServer();
    await mkdir(join(workspace, 'a"漢'));
    const path = encodeURIComponent(join(workspace, 'a"漢'));
    const { headers } = await call(server.port, 'HEAD', `/download_files?path=${path}`);
    expect(headers['content-disposition']).toBe(
      `attachment; filename="a__.zip"; filename*=UTF-8''a%22%E6%BC%A2.zip`,
    );
  });

  test.each([
    ['?path=relative', 400, 'absolute path'],
    ['?path=/missing/thing', 404, '/missing/thing'],
    ['', 422, 'Invalid request'],
  ])('%j is refused', async (query, status, detail) => {
    const { get } = await startTestServer();
    const answer = await get(`/download_files${query}`);
    expect([answer.status, answer.json.detail]).toEqual([status, expect.stringContaining(detail)]);
  });
});

async function upload(
  url: string,
  destination: string,
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
  recursive = 'false',
): Promise<{ status: number; json: Json }> {
  const form = new FormData();
  form.append('file', new Blob([bytes]), name);
  const query = new URLSearchParams({ destination, recursive });
  const answer = await fetch(`${url}/upload_file?${query}`, { method: 'POST', body: form });
  return { status: answer.status, json: await answer.json() };
}

async function makeZip(files: Record<string, string>): Promise<Uint8Array<ArrayBuffer>> {
  const directory = await temporaryDirectory();
  const script =
    'import json,sys,zipfile\nz=zipfile.ZipFile("x.zip","w")\n[z.writestr(*f) for f in json.loads(sys.argv[1])]\nz.close()';
  execFileSync('python3', ['-c', script, JSON.stringify(Object.entries(files))], { cwd: directory });
  return new Uint8Array(await readFile(join(directory, 'x.zip')));
}

async function namesIn(zip: Buffer): Promise<string[]> {
  const directory = await temporaryDirectory();
  await writeFile(join(directory, 'x.zip'), zip);
  const script = 'import zipfile\nprint("\\n".join(sorted(zipfile.ZipFile("x.zip").namelist())))';
  return execFileSync('python3', ['-c', script], { cwd: directory, encoding: 'utf8' }).trim().split('\n');
}
