import { answerJson, check, type HttpRoute, readJson } from '@fairlead/http';
import {
  type CreateSessionRequest,
  createSessionRequest,
  type SessionLimits,
  type WindowChoice,
  windowId,
} from '@fairlead/protocol';
import { z } from 'zod';
import { GatewayError } from '../../gateway-error.ts';
import type { SessionRecord } from '../../store/store.ts';
import type { GatewayCore, IdentifiedContext } from '../context.ts';
import { runtimeView, viewRuntime } from './runtime-view.ts';

const bodyLimitBytes = 1024 * 1024;
/** Clients give up on an answer sooner than on a runtime that is pending. */
const answerLimitMs = 30_000;

/** Of the rest that clients send, the command and its directory are the sandbox's own matter. */
const startRequest = z.looseObject({
  session_id: z.string().regex(/^[\x21-\x7e]{1,200}$/, 'use 1 to 200 visible ASCII characters'),
  image: z.string().nullish(),
  environment: z.record(z.string(), z.unknown()).nullish(),
  resource_factor: z.number().positive().max(64).nullish(),
});
type StartRequest = z.infer<typeof startRequest>;

export const route: HttpRoute<IdentifiedContext> = {
  summary: 'Start the runtime of that name, or go on with the one there is',
  document: () => ({
    body: { contentType: 'application/json', schema: startRequest },
    answers: {
      200: { description: 'There was one of that name', schema: runtimeView },
      201: { description: 'Started; `pending` if it takes longer', schema: runtimeView },
      400: { description: 'An image that cannot be used' },
      422: { description: 'No `session_id`, or a field is wrong' },
      429: { description: 'The owner has as many sessions as it may have' },
      502: { description: 'The sandbox did not start' },
    },
  }),
  async handle(exchange) {
    const { request, response, gateway, identity } = exchange;
    const wanted = check(startRequest, await readJson(request, bodyLimitBytes));
    const find = () => gateway.sessions.findByExternalId(identity.owner.id, wanted.session_id);
    const known = await find();
    if (known !== undefined) return answerJson(response, viewRuntime(exchange, await goOn(gateway, known)));
    let isAwaited = true;
    const creating = gateway.sessions
      .create(identity.owner, toCreateRequest(gateway, wanted), {
        externalId: wanted.session_id,
        isAwaited: () => isAwaited,
      })
      // Somebody else has just started it.
      .catch(async (error: unknown) => {
        const other = error instanceof GatewayError && error.code === 'conflict' ? await find() : undefined;
        if (other === undefined) throw error;
        return other;
      });
    const findPending = () => {
      isAwaited = false;
      return find();
    };
    answerJson(response, viewRuntime(exchange, await soon(creating, findPending)), 201);
  },
};

async function goOn(gateway: GatewayCore, session: SessionRecord): Promise<SessionRecord> {
  if (session.state === 'running' || session.state === 'starting') return session;
  return soon(gateway.sessions.resume(session.id), () => gateway.sessions.get(session.id));
}

/** What has not come about by then is told as it is; the client asks again until it is ready or failed. */
async function soon(
  coming: Promise<SessionRecord>,
  look: () => Promise<SessionRecord | undefined>,
): Promise<SessionRecord> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, answerLimitMs)));
  try {
    return (await Promise.race([coming, late])) ?? (await look()) ?? (await coming);
  } finally {
    clearTimeout(timer);
  }
}

function toCreateRequest(gateway: GatewayCore, wanted: StartRequest): CreateSessionRequest {
  const { image, environment, resource_factor: factor } = wanted;
  const window = windowOf(image ?? '') ?? (gateway.defaultDriver === 'window' ? {} : undefined);
  if (window !== undefined) {
    const labels = { agent: 'OpenHands' };
    return check(createSessionRequest, { window, labels, env: usableEnvironment(environment ?? {}) });
  }
  return check(createSessionRequest, {
    driver: gateway.defaultDriver,
    ...(gateway.defaultDriver === 'docker' && image && { image }),
    env: usableEnvironment(environment ?? {}),
    limits: scaled(gateway.unitLimits, factor ?? 1),
  });
}

/** Clients can only name an image: `fairlead/window` is a VS Code window, with the id or a folder's name as its tag. */
function windowOf(image: string): WindowChoice | undefined {
  const [, tag] = /^fairlead\/window(?::(.+))?$/.exec(image) ?? [undefined, null];
  if (tag === null) return undefined;
  if (tag === undefined) return {};
  return windowId.safeParse(tag).success ? { id: tag } : { folder: tag };
}

/** A client's whole environment may come along; what no shell could have is left out. */
function usableEnvironment(environment: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => {
      const isUsable =
        /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && isScalar(value) && !String(value).includes('\0');
      return isUsable ? [[name, String(value)]] : [];
    }),
  );
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** Without a limit there is nothing to scale. */
function scaled({ cpus, memoryMb, pids }: SessionLimits, factor: number): SessionLimits {
  return {
    ...(cpus !== undefined && { cpus: cpus * factor }),
    ...(memoryMb !== undefined && { memoryMb: Math.round(memoryMb * factor) }),
    ...(pids !== undefined && { pids: Math.round(pids * factor) }),
  };
}
