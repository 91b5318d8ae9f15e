import { InvalidArgumentError } from 'commander';

const secondsOf: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** `90`, `90s`, `30m`, `8h`, `7d` in seconds. */
export function parseDuration(text: string): number {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)([smhd])?$/.exec(text) ?? [];
  const seconds = Number(amount) * (secondsOf[unit] ?? Number.NaN);
  if (seconds > 0) return seconds;
  throw new InvalidArgumentError('Use a number with s, m, h or d behind it, for example 30m.');
}

const megabytesOf: Record<string, number> = { m: 1, g: 1024, t: 1024 * 1024 };

/** `512m`, `2g` in MB; a plain number is MB. */
export function parseMemory(text: string): number {
  const [, amount, unit = 'm'] = /^(\d+(?:\.\d+)?)([mgt])?b?$/i.exec(text) ?? [];
  const megabytes = Math.round(Number(amount) * (megabytesOf[unit.toLowerCase()] ?? Number.NaN));
  if (megabytes > 0) return megabytes;
  throw new InvalidArgumentError('Use a number with m or g behind it, for example 2g.');
}

export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('Use a number from 0 to 65535; 0 for any free one.');
}

export function parseCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use a whole number.');
}

export function parseAppPorts(text: string): number {
  if (/^\d$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use a number from 0 to 9.');
}

export function parseAmount(text: string): number {
  if (Number(text) > 0 && Number.isFinite(Number(text))) return Number(text);
  throw new InvalidArgumentError('Use a number above 0.');
}

/** For an option that may be given again. */
export function collect(text: string, before: string[] | undefined): string[] {
  return [...(before ?? []), text];
}

/** `K=V` pairs; what has no `=` is asked for by its name. */
export function parsePairs(
  texts: string[] | undefined,
  valueOf: (name: string) => string | undefined,
  option: string,
): Record<string, string> {
  return Object.fromEntries(
    (texts ?? []).map((text) => {
      const equals = text.indexOf('=');
      const name = equals < 0 ? text : text.slice(0, equals);
      const value = equals < 0 ? valueOf(name) : text.slice(equals + 1);
      if (name !== '' && value !== undefined) return [name, value];
      throw new InvalidArgumentError(`${option} ${text} has no value; write ${option} NAME=VALUE.`);
    }),
  );
}

/** How long ago or until, as a person says it: `5s`, `12m`, `3h`, `2d`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m`;
  if (whole < 86_400) return `${Math.floor(whole / 3600)}h`;
  return `${Math.floor(whole / 86_400)}d`;
}
