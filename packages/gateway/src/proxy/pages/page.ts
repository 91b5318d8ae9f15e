import { createHash } from 'node:crypto';

/** What a browser is shown where there is nothing to pass on. Programs get its words as JSON. */
export interface Page {
  status: number;
  title: string;
  /** Each a paragraph; programs get the title and the first. */
  lines: string[];
  /** Shown as something to type. */
  command?: string;
  /** The page asks again by itself after so many seconds, and programs are told to. */
  retryAfterSeconds?: number;
  /** A path that answers `{ state, detail }`: the page shows the detail, and loads again when the state is `running`. */
  progressPath?: string;
  /** Sends a form to that path. */
  button?: { path: string; label: string };
}

export function renderPage({ title, lines, command, retryAfterSeconds, progressPath, button }: Page): string {
  const refresh =
    retryAfterSeconds === undefined ? '' : `<meta http-equiv="refresh" content="${retryAfterSeconds}">\n`;
  const paragraphs = lines.map((line) => `<p>${escapeHtml(line)}</p>\n`).join('');
  const code = command === undefined ? '' : `<pre>${escapeHtml(command)}</pre>\n`;
  const progress =
    progressPath === undefined
      ? ''
      : `<p id="detail" role="status" data-path="${escapeHtml(progressPath)}"></p>\n<script>${script}</script>\n`;
  const form =
    button === undefined
      ? ''
      : `<form method="post" action="${escapeHtml(button.path)}"><button>${escapeHtml(button.label)}</button></form>\n`;
  const isWaiting = retryAfterSeconds !== undefined || progressPath !== undefined;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
${progressPath === undefined ? refresh : `<noscript>${refresh}</noscript>\n`}<title>${escapeHtml(title)}</title>
<style>${style}</style>
<main>
${isWaiting ? '<div id="waiting"></div>\n' : ''}<h1>${escapeHtml(title)}</h1>
${paragraphs}${code}${progress}${form}</main>
</html>
`;
}

/** Covers elements and attributes in quotes. */
function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const style = `
:root { color-scheme: light dark; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center;
  font: 16px/1.5 system-ui, sans-serif; background: Canvas; color: CanvasText; }
main { max-width: 34em; padding: 2em; }
h1 { font-size: 1.4em; font-weight: 600; }
pre { padding: .6em .8em; border: 1px solid GrayText; border-radius: 6px; overflow-x: auto; }
button { font: inherit; padding: .4em 1.2em; }
#detail { min-height: 1.5em; opacity: .75; }
#waiting { width: 100%; height: 3px; background: linear-gradient(90deg, transparent, Highlight, transparent);
  background-size: 40% 100%; background-repeat: no-repeat; animation: pass 1.2s linear infinite; }
@keyframes pass { from { background-position: -60% 0; } to { background-position: 160% 0; } }
@media (prefers-reduced-motion: reduce) { #waiting { animation: none; } }
`;

const script = `
const shown = document.getElementById('detail');
const isOver = { failed: true, missing: true, stopped: false };
async function look() {
  try {
    const answer = await fetch(shown.dataset.path, { headers: { accept: 'application/json' }, cache: 'no-store' });
    const { state, detail } = await answer.json();
    if (state === 'running') return location.reload();
    if (typeof detail === 'string') shown.textContent = detail;
    if (isOver[state]) return document.getElementById('waiting').remove();
  } catch {}
  setTimeout(look, 500);
}
look();
`;

/** Nothing but what stands above runs or is loaded, whatever got into the text. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src '${hashOf(style)}'`,
  `script-src '${hashOf(script)}'`,
  "connect-src 'self'",
  "frame-ancestors 'self'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ');

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
