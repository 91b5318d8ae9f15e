import { isIPv6 } from 'node:net';

export interface BucketLimits {
  perSecond: number;
  /** How many may come at once after a pause. */
  burst: number;
}

export const requestLimits: BucketLimits = { perSecond: 2000, burst: 4000 };
export const failureLimits: BucketLimits = { perSecond: 10, burst: 50 };

const maximumBuckets = 4096;

/** Token buckets by name. Memory is bounded: where there are too many, the one used longest ago starts anew. */
export class RateLimit {
  readonly #limits: BucketLimits;
  readonly #nowMs: () => number;
  /** In the order of their last use. */
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>();

  constructor(limits: BucketLimits, nowMs: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** 0 when it is granted; otherwise the whole seconds to wait, as Retry-After tells them. */
  take(name: string): number {
    const { perSecond } = this.#limits;
    const atMs = this.#nowMs();
    const tokens = this.#tokens(name, atMs);
    const isGranted = tokens >= 1;
    this.#buckets.delete(name);
    this.#buckets.set(name, { tokens: isGranted ? tokens - 1 : tokens, atMs });
    if (this.#buckets.size > maximumBuckets) this.#buckets.delete(this.#buckets.keys().next().value!);
    return isGranted ? 0 : Math.ceil((1 - tokens) / perSecond);
  }

  #tokens(name: string, nowMs: number): number {
    const { perSecond, burst } = this.#limits;
    const bucket = this.#buckets.get(name);
    if (bucket === undefined) return burst;
    return Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) / 1000) * perSecond);
  }
}

/** The name of an address's bucket. Who has an IPv6 address has its whole /64. */
export function addressBucket(remoteAddress: string | undefined): string {
  const address = (remoteAddress ?? 'unknown').replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  return isIPv6(address) ? `${networkOf(address)}::/64` : address;
}

function networkOf(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  const groups = [...first, ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...last];
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
