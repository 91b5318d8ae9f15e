import { readFile, statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { answerJson, type HttpRoute } from '@fairlead/http';
import type { Context } from '../sandbox.ts';

export const route: HttpRoute<Context> = {
  summary: 'Uptime, idle time and what the server uses',
  document: (z) => {
    const number = z.number();
    const memory = z.object({ rss: z.int(), vms: z.int(), percent: number });
    const disk = z.object({ total: z.int(), used: z.int(), free: z.int(), percent: number });
    const io = z.object({ read_bytes: z.int(), write_bytes: z.int() });
    const resources = z.object({ cpu_percent: number, memory, disk, io });
    return {
      answers: {
        200: {
          description: 'Seconds, bytes and percentages; unknown figures are 0',
          schema: z.object({ uptime: number, idle_time: number, resources }),
        },
      },
    };
  },
  async handle({ response, sandbox }) {
    const [memory, disk, io] = await Promise.all([memoryUse(), diskUse(sandbox.workspace), ioUse()]);
    answerJson(response, {
      uptime: process.uptime(),
      idle_time: sandbox.actions.idleSeconds,
      resources: { cpu_percent: cpuPercent(), memory, disk, io },
    });
  },
};

let lastCpu = { usage: { user: 0, system: 0 }, atMs: 0 };

/** Since the last question, so that nobody has to wait for a sample. */
function cpuPercent(): number {
  const now = { usage: process.cpuUsage(), atMs: performance.now() };
  const elapsedMs = now.atMs - lastCpu.atMs;
  const usedMicroseconds = now.usage.user + now.usage.system - lastCpu.usage.user - lastCpu.usage.system;
  lastCpu = now;
  return elapsedMs > 0 ? rounded(usedMicroseconds / 10 / elapsedMs) : 0;
}

async function memoryUse(): Promise<{ rss: number; vms: number; percent: number }> {
  const rss = process.memoryUsage.rss();
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
  const vms = Number(/^VmSize:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
  return { rss, vms, percent: rounded((rss / totalmem()) * 100) };
}

async function diskUse(
  path: string,
): Promise<{ total: number; used: number; free: number; percent: number }> {
  const disk = await statfs(path).catch(() => undefined);
  if (disk === undefined) return { total: 0, used: 0, free: 0, percent: 0 };
  const { bsize, blocks, bfree, bavail } = disk;
  const used = blocks - bfree;
  const percent = used + bavail > 0 ? rounded((used / (used + bavail)) * 100) : 0;
  return { total: blocks * bsize, used: used * bsize, free: bavail * bsize, percent };
}

async function ioUse(): Promise<{ read_bytes: number; write_bytes: number }> {
  const text = await readFile('/proc/self/io', 'utf8').catch(() => '');
  const field = (name: string) => Number(new RegExp(`^${name}: (\\d+)`, 'm').exec(text)?.[1] ?? 0);
  return { read_bytes: field('read_bytes'), write_bytes: field('write_bytes') };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
