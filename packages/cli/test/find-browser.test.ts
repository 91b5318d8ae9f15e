import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBrowser } from '../src/browser/find-browser.ts';

function found(variables: Record<string, string>) {
  return findBrowser((name) => variables[name])?.('http://x/');
}

describe('the browser of the person who is here', () => {
  it('is the first that BROWSER names, with the address where it says', () => {
    expect(found({ BROWSER: 'firefox' })).toEqual({ file: 'firefox', args: ['http://x/'] });
    expect(found({ BROWSER: 'a --new %s:b' })).toEqual({ file: 'a', args: ['--new', 'http://x/'] });
    expect(found({ BROWSER: ':a -n' })).toEqual({ file: 'a', args: ['-n', 'http://x/'] });
  });

  it("is the desktop's own where there is a screen, and none where there is not", () => {
    const directory = mkdtempSync(join(tmpdir(), 'fairlead-browser-'));
    const PATH = `/nowhere:${directory}`;
    expect(found({ PATH, DISPLAY: ':0' })).toBeUndefined();
    writeFileSync(join(directory, 'xdg-open'), '', { mode: 0o755 });
    const desktop = { file: 'xdg-open', args: ['http://x/'] };
    expect(found({ PATH, DISPLAY: ':0' })).toEqual(desktop);
    expect(found({ PATH, WAYLAND_DISPLAY: 'wayland-0' })).toEqual(desktop);
    expect(found({ PATH })).toBeUndefined();
    rmSync(directory, { recursive: true });
  });
});
