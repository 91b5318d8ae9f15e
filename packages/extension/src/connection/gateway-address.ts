export type ParsedAddress = { ok: true; url: string } | { ok: false; problem: string };

/** A gateway's address as a person types it or a link tells it; anything but http(s) is refused. */
export function parseGatewayAddress(text: string): ParsedAddress {
  const given = text.trim();
  const url = parseUrl(withScheme(given));
  if (url === undefined)
    return { ok: false, problem: `"${given}" is not an address like https://gateway.example` };
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { ok: false, problem: `A gateway has an http or https address; "${given}" has neither` };
  }
  if (url.username !== '' || url.password !== '') {
    return { ok: false, problem: 'Leave the user and the password out of the address; the key is asked for' };
  }
  return { ok: true, url: url.origin + url.pathname.replace(/\/+$/, '') };
}

/** A bare name is reached by https, this machine by http. */
function withScheme(given: string): string {
  const host = /^([\w.-]+)(:\d+)?(\/|$)/.exec(given)?.[1];
  if (host === undefined) return given;
  return `${isThisMachine(host) ? 'http' : 'https'}://${given}`;
}

/** Whether the key and all that agents do would travel readable over a network. */
export function isReadableOnTheWay(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isThisMachine(hostname);
}

function isThisMachine(host: string): boolean {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '[::1]' ||
    /^127(\.\d{1,3}){3}$/.test(host)
  );
}

export function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
