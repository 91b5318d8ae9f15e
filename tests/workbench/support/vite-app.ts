import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../../../node_modules/', import.meta.url));

/** Vite and all that it needs, into a folder of a sandbox, which sees no other. */
export function copyVite(folder: string): void {
  for (const name of closureOf('vite')) {
    cpSync(join(packages, name), join(folder, 'node_modules', name), { recursive: true });
  }
}

/** Starts it on the second app port, told of the path that browsers see. */
export const viteCommand =
  '(cd site && exec /opt/fairlead-editor/*/bin/node ../node_modules/vite/bin/vite.js --host 127.0.0.1 ' +
  '--port $APP_PORT_2 --strictPort --base "/$(cut -d / -f 4- <<<"$APP_URL_2")") >vite.log 2>&1 &';

export const vitePage =
  '<!doctype html><title>vite</title><h1 id="shown"></h1><script type="module" src="/shown.js"></script>';

/** Of a module that takes new versions of itself while the page is open. */
export function viteScript(text: string): string {
  return `document.getElementById('shown').textContent = ${JSON.stringify(text)};\nimport.meta.hot.accept();\n`;
}

function closureOf(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name) || !existsSync(join(packages, name))) return found;
  found.add(name);
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
    readFileSync(join(packages, name, 'package.json'), 'utf8'),
  ) as Record<string, Record<string, string>>;
  for (const each of Object.keys({ ...dependencies, ...optionalDependencies })) closureOf(each, found);
  return found;
}
