import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { answerPage } from '../../src/proxy/pages/answer-page.ts';
import { type Page, pagePolicy, renderPage } from '../../src/proxy/pages/page.ts';
import { editorMissingPage, editorStartingPage } from '../../src/proxy/pages/waiting-pages.ts';
import { wantsHtml } from '../../src/proxy/pages/wants-html.ts';
import { openBrowser } from './support/browser.ts';

describe('a page', () => {
  it('shows what it is given as text, whatever it looks like', () => {
    const texts = fc.constantFrom(
      '<script>',
      '"><img src=x>',
      "'",
      '&amp;',
      '</style>',
      '</title>',
      'plain',
      '<!--',
    );
    const words = fc.array(texts).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(words, words, words, words, (title, line, command, progressPath) => {
        const html = renderPage({ status: 503, title, lines: [line], command, progressPath });
        const plain = renderPage({ status: 503, title: '', lines: [''], command: '', progressPath: '' });
        // No element, attribute or comment more than without the texts.
        for (const mark of ['<', '>', '"', "'"]) expect(count(html, mark)).toBe(count(plain, mark));
      }),
    );
  });

  it('loads nothing, and runs nothing but its own script', () => {
    const html = renderPage({ ...editorStartingPage('/progress'), command: 'x' });
    expect(html).not.toMatch(/\b(src|href|action)=|url\(|@import|https?:/i);
    for (const element of ['style', 'script']) {
      const content = new RegExp(`<${element}>([^]*?)</${element}>`).exec(html)![1]!;
      const hash = createHash('sha256').update(content).digest('base64');
      expect(pagePolicy).toContain(`${element}-src 'sha256-${hash}'`);
    }
    expect(pagePolicy).toContain("default-src 'none'");
  });

  it('says what to run', () => {
    expect(renderPage(editorMissingPage('fairlead editor install'))).toContain(
      '<pre>fairlead editor install</pre>',
    );
  });

  it.each([
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
    ['text/html;q=0.5, application/json;q=0.4', true],
    ['application/json, text/html;q=0.9', false],
    ['text/html;q=0', false],
    ['application/json', false],
    ['*/*', false],
    ['image/avif,image/webp,*/*', false],
    [undefined, false],
  ])('is for whoever accepts %j: %j', (accept, expected) => {
    expect(wantsHtml(accept)).toBe(expected);
  });
});

describe('the page of an editor that starts', { tags: ['chromium'] }, () => {
  it('says how far it is, and gives way to the editor', { timeout: 60_000 }, async () => {
    let state = { state: 'starting', detail: 'Unpacking <b>extensions</b>' };
    const place = await serve((path) =>
      path === '/progress'
        ? state
        : state.state === 'running'
          ? 'the editor'
          : editorStartingPage('/progress'),
    );
    const page = await (await openBrowser()).newPage();
    await page.goto(place);
    await expect.poll(() => page.locator('#detail').textContent()).toBe('Unpacking <b>extensions</b>');
    state = { state: 'running', detail: '' };
    await expect.poll(() => page.textContent('body'), { timeout: 20_000 }).toContain('the editor');
  });

  it('says why it has failed, and is readable in the dark', { timeout: 60_000 }, async () => {
    const place = await serve((path) =>
      path === '/progress' ? { state: 'failed', detail: 'no space left' } : editorStartingPage('/progress'),
    );
    const browser = await openBrowser();
    const page = await browser.newPage({ colorScheme: 'dark' });
    await page.goto(place);
    await expect.poll(() => page.locator('#detail').textContent()).toBe('no space left');
    expect(await page.locator('#waiting').count()).toBe(0);
    const colours = 'const s = getComputedStyle(document.body); [s.color, s.backgroundColor]';
    expect(await page.evaluate(colours)).toEqual(['rgb(255, 255, 255)', 'rgb(18, 18, 18)']);
  });
});

function count(text: string, mark: string): number {
  return text.split(mark).length - 1;
}

async function serve(answer: (path: string) => Page | string | { state: string }): Promise<string> {
  const http = createServer((request, response) => {
    const given = answer(request.url ?? '/');
    if (typeof given === 'string') response.end(given);
    else if ('status' in given) answerPage(request, response, given);
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(given));
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/`;
}
