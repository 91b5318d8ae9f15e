import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A repository that git can clone by HTTP, as plain files. */
export class GitServer {
  readonly url: string;
  /** Of paths that were asked for. */
  readonly asked: string[] = [];
  /** Of those who asked for `/private.git`. */
  readonly credentials: string[] = [];
  /** Of processes that had its name in theirs when it was asked for. */
  readonly commandLines: string[] = [];
  /** What opens it. */
  readonly credential = "me:p@ss' w$rd";
  readonly #server: Server;
  readonly #directory: string;

  private constructor(server: Server, directory: string) {
    this.#server = server;
    this.#directory = directory;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => {
      const path = request.url?.split('?')[0] ?? '/';
      this.asked.push(path);
      // Whoever asks for this must say who it is.
      if (path.startsWith('/private.git')) {
        const given = Buffer.from(request.headers.authorization?.replace('Basic ', '') ?? '', 'base64');
        this.credentials.push(String(given));
        this.commandLines.push(...commandLinesWith('private.git'));
        if (String(given) !== this.credential)
          return void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      }
      // Whoever asks for this never gets an answer.
      if (path.startsWith('/silent.git')) return;
      try {
        response.end(readFileSync(join(directory, path.replace('/private.git', '/repository.git'))));
      } catch {
        response.writeHead(404).end();
      }
    });
  }

  static async start(): Promise<GitServer> {
    const directory = mkdtempSync(join(tmpdir(), 'fg-git-'));
    makeRepository(directory);
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new GitServer(server, directory);
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

function commandLinesWith(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(commandLineOf)
    .filter((line) => line.includes(text));
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

function makeRepository(directory: string): void {
  const work = join(directory, 'work');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      cwd: directory,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  git('init', '-q', '-b', 'main', 'work');
  writeFileSync(join(work, 'file'), 'from main\n');
  git('-C', 'work', 'add', '.');
  git('-C', 'work', 'commit', '-qm', 'first');
  git('-C', 'work', 'checkout', '-qb', 'other');
  writeFileSync(join(work, 'file'), 'from other\n');
  git('-C', 'work', 'commit', '-qam', 'second');
  git('-C', 'work', 'checkout', '-q', 'main');
  git('clone', '-q', '--bare', 'work', 'repository.git');
  git('-C', 'repository.git', 'update-server-info');
}
