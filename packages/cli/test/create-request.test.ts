import { describe, expect, it } from 'vitest';
import { toRequest } from '../src/commands/session/create.ts';
import { testCli } from './support/test-cli.ts';

describe('the options of session create', () => {
  const cli = testCli({ cwd: '/home/me', variable: (name) => (name === 'TOKEN' ? 'secret' : undefined) });

  it('become a request', () => {
    const request = toRequest(cli, {
      driver: 'docker',
      image: 'debian:bookworm',
      folder: 'project',
      env: ['A=1', 'TOKEN'],
      label: ['name=demo'],
      idleTimeout: 60,
      cpus: 1.5,
      memory: 2048,
      pids: 100,
    });
    expect(request).toEqual({
      driver: 'docker',
      image: 'debian:bookworm',
      workspace: { kind: 'folder', path: '/home/me/project' },
      env: { A: '1', TOKEN: 'secret' },
      labels: { name: 'demo' },
      limits: { cpus: 1.5, memoryMb: 2048, pids: 100 },
      idleTimeoutSeconds: 60,
    });
  });

  it('name a clone with its branch', () => {
    const { workspace } = toRequest(cli, { git: 'https://host/x.git', ref: 'main' });
    expect(workspace).toEqual({ kind: 'git', url: 'https://host/x.git', ref: 'main' });
  });

  it.each([
    [true, {}],
    ['0d3f7f6e-8f5c-4c39-9d5b-0c1f0a4f7a11', { id: '0d3f7f6e-8f5c-4c39-9d5b-0c1f0a4f7a11' }],
    ['.', { folder: '/home/me' }],
    ['src/app', { folder: '/home/me/src/app' }],
    ['/srv', { folder: '/srv' }],
    ['project', { folder: 'project' }],
  ] as const)('name the window %s', (window, choice) => {
    expect(toRequest(cli, { window }).window).toEqual(choice);
  });

  it('are refused in the words of the command line', () => {
    expect(() => toRequest(cli, { folder: 'a', git: 'https://x/y' })).toThrow('give one of them');
    expect(() => toRequest(cli, { window: true, folder: 'a' })).toThrow('leave --folder and --git out');
    expect(() => toRequest(cli, { ref: 'main' })).toThrow('--ref needs --git');
    expect(() => toRequest(cli, { memory: 1 })).toThrow('limits.memoryMb');
    expect(() => toRequest(cli, { env: ['NOPE'] })).toThrow('--env NOPE has no value');
  });
});
