// What `fairlead open` starts in the tests in place of a browser: keeps cookies, follows redirects, and writes down what
// it was called with and what it got. Called as: node browser.mjs FILE [--stranger] URL
import { spawnSync } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';

const [file, ...rest] = process.argv.slice(2);
if (file === '--as-nobody') {
  process.setuid(65_534);
  const { status } = await fetch(rest[0], { redirect: 'manual' });
  process.stdout.write(String(status));
} else {
  const called = rest.at(-1);
  const stranger = rest.includes('--stranger')
    ? spawnSync(process.execPath, [process.argv[1], '--as-nobody', called], { encoding: 'utf8' }).stdout
    : undefined;
  writeFileSync(`${file}.new`, JSON.stringify({ called, stranger, ...(await visit(called)) }));
  renameSync(`${file}.new`, file);
}

async function visit(first) {
  const cookies = [];
  let url = first;
  for (;;) {
    const headers = { cookie: cookies.join('; '), accept: 'text/html' };
    const response = await fetch(url, { headers, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) cookies.push(cookie.split(';')[0]);
    const location = response.headers.get('location');
    if (location === null) return { url, status: response.status, body: await response.text() };
    url = new URL(location, url).href;
  }
}
