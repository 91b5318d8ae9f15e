/** A path and query of this host that a browser can be sent to, whatever a link has been made to say; else its root. */
export function localTarget(text: string): string {
  // Browsers take tabs out, and backslashes for slashes: two of those would name a host.
  if (!/^\/[\x21-\x7e]*$/.test(text)) return '/';
  return text.replace(/^[/\\]+/, '/');
}

/** Without one parameter, and otherwise byte for byte. */
export function withoutParameter(target: string, name: string): string {
  const [path = '/', ...queries] = target.split('?');
  const rest = queries
    .join('?')
    .split('&')
    .filter((pair) => !new URLSearchParams(pair).has(name))
    .join('&');
  return rest === '' ? path : `${path}?${rest}`;
}

export function withParameter(target: string, name: string, value: string): string {
  return `${target}${target.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`;
}

/** Of a request's target. */
export function parameterOf(target: string, name: string): string | null {
  const mark = target.indexOf('?');
  return mark < 0 ? null : new URLSearchParams(target.slice(mark + 1)).get(name);
}
