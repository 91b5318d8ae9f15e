import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContext } from 'playwright-core';
import { type CodeServer, startCodeServer } from './code-server-process.ts';
import { Probes } from './probes.ts';
import { untilEnded } from './processes.ts';
import { quietSettings } from './quiet-settings.ts';
import { VscodeWindow } from './vscode-window.ts';

export interface WindowsOptions {
  /** Of the user, in addition to those that keep the workbench quiet. */
  settings?: Record<string, unknown>;
  /** Whether folders are restricted until the person trusts them. */
  hasTrust?: boolean;
  /** Further extensions, by their folder in `fixtures`. */
  extensions?: string[];
}

export interface StageOptions extends WindowsOptions {
  /** The program of a code-server. */
  codeServer: string[];
  /** Of the machine, where programs are found. */
  searchPath: string;
  /** Puts our extension into the directory that is given, where needed, and answers its folder. */
  extension(directory: string): Promise<string>;
}

export interface OpenOptions {
  /** Of the folder, by path; unless `path` is given. */
  files?: Record<string, string>;
  /** A folder or a .code-workspace file that is there already. */
  path?: string;
}

const fixtures = fileURLToPath(new URL('../fixtures', import.meta.url));

/** One code-server with our extension and the probe, for as many windows as there are pages. */
export class WindowStage {
  readonly #directory: string;
  readonly #probes: Probes;
  readonly #server: CodeServer;
  #folders = 0;

  private constructor(directory: string, probes: Probes, server: CodeServer) {
    this.#directory = directory;
    this.#probes = probes;
    this.#server = server;
  }

  static async start(options: StageOptions): Promise<WindowStage> {
    const { codeServer, searchPath, extension, settings, hasTrust = false, extensions = [] } = options;
    // Short, as the paths of sockets must be.
    const directory = mkdtempSync(join(tmpdir(), 'fw-'));
    const extensionsDir = join(directory, 'extensions');
    const home = join(directory, 'home');
    const probeSocket = join(directory, 'probe.sock');
    mkdirSync(home);
    for (const name of ['probe', ...extensions])
      cpSync(join(fixtures, name), join(extensionsDir, `fairlead-tests.${name}-1.0.0`), { recursive: true });
    const ours = await extension(join(directory, 'install'));
    cpSync(ours, join(extensionsDir, basename(ours)), { recursive: true });
    const probes = await Probes.listen(probeSocket);
    const server = await startCodeServer({
      command: codeServer,
      directory,
      extensionsDir,
      settings: { ...quietSettings, ...settings },
      hasTrust,
      env: {
        PATH: searchPath,
        LANG: 'C.UTF-8',
        HOME: home,
        SHELL: '/bin/bash',
        // Else a login shell is asked for the environment.
        VSCODE_CLI: '1',
        FAIRLEAD_PROBE_SOCKET: probeSocket,
      },
    });
    return new WindowStage(directory, probes, server);
  }

  get userDataDir(): string {
    return this.#server.userDataDir;
  }

  /** A page of this person. */
  async open(
    person: BrowserContext,
    { files = {}, path = this.folder(files) }: OpenOptions,
  ): Promise<VscodeWindow> {
    const kind = path.endsWith('.code-workspace') ? 'workspace' : 'folder';
    const url = `${this.#server.url}/?${kind}=${encodeURIComponent(path)}`;
    return VscodeWindow.open({ page: await person.newPage(), url, path, probes: this.#probes });
  }

  folder(files: Record<string, string>): string {
    this.#folders += 1;
    const path = join(this.#directory, `folder-${this.#folders}`);
    // The list of files tells when a window can be used, so that there is always one.
    for (const [name, text] of Object.entries({ 'README.md': '# A folder\n', ...files })) {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), text);
    }
    return path;
  }

  async close(): Promise<void> {
    try {
      await this.#server.close();
      await this.#probes.close();
      await untilEnded(this.#directory);
    } finally {
      rmSync(this.#directory, { recursive: true, force: true });
    }
  }
}
