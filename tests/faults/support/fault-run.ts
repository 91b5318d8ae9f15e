import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { examine, type SessionAftermath } from './aftermath.ts';
import { GatewayApi } from './gateway-api.ts';
import { KeptGateway } from './kept-gateway.ts';
import { LoadClient } from './load-client.ts';
import { Random } from './random.ts';
import { type Fault, type FaultKind, faultKinds, processesOn, strike } from './victims.ts';

export interface FaultRunOptions {
  seed: number;
  faults: number;
  /** A session for each. */
  drivers: ('local' | 'docker')[];
  clientsPerSession: number;
  /** More for `fairlead serve`. */
  args?: string[];
}

export interface FaultReport {
  faults: Fault[];
  /** Those that hit a container, or the server in one. */
  inContainers: Fault[];
  /** Those that hit a session, or a gateway, while an action was recorded and not answered. */
  inFlight: Fault[];
  actions: number;
  outcomes: SessionAftermath['outcomes'];
  slowestAnswerMs: number;
  /** Everything that must not be. */
  complaints: string[];
}

const serviceLimitMs = 90_000;
/** The others come without waiting until what the one before has broken works again. */
const patientProbability = 0.8;
const endLimitMs = 15_000;

/** Kills gateways, sandbox servers and sandboxes at random moments under load, and looks what became of the actions. */
export async function runFaults(options: FaultRunOptions): Promise<FaultReport> {
  const directory = mkdtempSync(join(tmpdir(), 'fairlead-faults-'));
  const args = ['--warm', '1', ...(options.args ?? [])];
  const gateway = await KeptGateway.start(join(directory, 'state'), args);
  try {
    return await runOn(gateway, options);
  } catch (error) {
    throw new Error(`${(error as Error).message}\nThe gateway's log:\n${gateway.log}`, { cause: error });
  } finally {
    await gateway.stop();
    for (const left of processesOn(gateway)) kill(left.pid);
    rmSync(directory, { recursive: true, force: true });
  }
}

async function runOn(gateway: KeptGateway, options: FaultRunOptions): Promise<FaultReport> {
  const random = new Random(options.seed);
  const api = new GatewayApi(gateway);
  await gateway.ready();
  const sessionIds: string[] = [];
  for (const driver of options.drivers) sessionIds.push((await api.create(driver)).id);
  const clients = sessionIds.flatMap((sessionId, place) =>
    Array.from({ length: options.clientsPerSession }, (_, number) => {
      // Every second one shares a shell, where one waits for the other.
      const shell = number % 2 === 0 ? 'main' : `shell-${number}`;
      return new LoadClient({ api, random: random.fork(), sessionId, shell, name: `s${place}c${number}` });
    }),
  );
  const running = Promise.all(clients.map((client) => client.run()));
  const faults: Fault[] = [];
  const complaints: string[] = [];
  try {
    for (const kind of shuffledKinds(options.faults, random)) {
      const sessionId = random.pick(sessionIds);
      if (random.isTrue(patientProbability)) await inService(gateway, kind, clientsOf(sessionId));
      await delay(random.between(0, 300));
      faults.push(await strike(gateway, kind, sessionId));
    }
  } catch (error) {
    complaints.push((error as Error).message);
  }
  for (const client of clients) client.stop();
  await running;
  await gateway.ready();

  const aftermaths: SessionAftermath[] = [];
  for (const sessionId of sessionIds) {
    const sent = clientsOf(sessionId).flatMap((client) => client.sent);
    aftermaths.push(await examine(api, gateway.stateDir, sessionId, sent));
  }
  complaints.push(...clients.flatMap((client) => client.complaints));
  complaints.push(...aftermaths.flatMap((aftermath) => aftermath.complaints));
  complaints.push(...(await endAll(gateway, api)), ...gateway.complaints);
  const sent = clients.flatMap((client) => client.sent);
  const containers = sessionIds.filter((_, place) => options.drivers[place] === 'docker');
  return {
    faults,
    inContainers: faults.filter(({ sessionId }) => containers.includes(sessionId ?? '')),
    inFlight: faults.filter((fault) => aftermaths.some((aftermath) => hasHit(fault, aftermath))),
    actions: sent.length,
    outcomes: addUp(aftermaths),
    slowestAnswerMs: Math.max(...sent.map(({ tookMs }) => tookMs)),
    complaints: complaints.length === 0 ? [] : [...complaints, `log of the gateway:\n${gateway.log}`],
  };

  function clientsOf(id: string): LoadClient[] {
    const from = sessionIds.indexOf(id) * options.clientsPerSession;
    return clients.slice(from, from + options.clientsPerSession);
  }
}

/** As many of each kind as of the others. */
function shuffledKinds(count: number, random: Random): FaultKind[] {
  const kinds = Array.from({ length: count }, (_, index) => faultKinds[index % faultKinds.length]!);
  return kinds
    .map((kind) => ({ kind, place: random.fraction() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ kind }) => kind);
}

/** Until the gateway listens and the session, where one is to be hit, has answered something since. */
async function inService(gateway: KeptGateway, kind: FaultKind, clients: LoadClient[]): Promise<void> {
  const deadlineMs = performance.now() + serviceLimitMs;
  const answered = () => clients.reduce((sum, client) => sum + client.answered, 0);
  const before = answered();
  while (!gateway.isListening || (kind !== 'gateway' && answered() === before)) {
    if (performance.now() > deadlineMs) throw new Error(`Nothing was answered for ${serviceLimitMs} ms`);
    await delay(5);
  }
}

function hasHit({ sessionId, atMs, goneMs }: Fault, aftermath: SessionAftermath): boolean {
  if (sessionId !== undefined && sessionId !== aftermath.sessionId) return false;
  return aftermath.recorded.some(({ action, observations: [observation] }) => {
    const isAnswered = observation !== undefined && Date.parse(observation.time) < goneMs;
    return Date.parse(action.time) <= atMs && !isAnswered;
  });
}

/** Nothing of a session is left when it is deleted, and nothing at all when the gateway has ended. */
async function endAll(gateway: KeptGateway, api: GatewayApi): Promise<string[]> {
  for (const { id } of await api.sessions()) await api.remove(id);
  await gateway.stop();
  const deadlineMs = performance.now() + endLimitMs;
  while (processesOn(gateway).length > 0 && performance.now() < deadlineMs) await delay(20);
  const left = processesOn(gateway).map(({ pid, argv }) => `process ${pid} is left: ${argv}`);
  const directories = readdirSync(join(gateway.stateDir, 'sessions'));
  return [...left, ...directories.map((id) => `the directory of the session ${id} is left`)];
}

function addUp(aftermaths: SessionAftermath[]): SessionAftermath['outcomes'] {
  const sum = { done: 0, unknown: 0, 'not-run': 0, other: 0 };
  for (const { outcomes } of aftermaths) {
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += outcomes[name];
  }
  return sum;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
