/** A path that everything of the gateway is put under, as it stands before others; empty for none. */
export function parseBasePath(text: string): string {
  const path = text.replace(/\/+$/, '');
  const isFit = /^(\/[\w.~-]+)*$/.test(path) && !/\/\.{1,2}(\/|$)/.test(path);
  if (isFit) return path;
  throw new Error(
    `Base path ${JSON.stringify(text)} is not a path like /fairlead: use letters, digits and - _ . ~`,
  );
}
