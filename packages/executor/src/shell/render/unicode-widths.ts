import type { IUnicodeVersionProvider } from '@xterm/headless';
import { characterWidth } from './character-width.ts';

/** Gives xterm the same widths that text rendering uses; its own table knows no wide emoji. */
export const unicodeWidths: IUnicodeVersionProvider = {
  version: 'fairlead',
  wcwidth: characterWidth,
  charProperties(codePoint, preceding) {
    const width = characterWidth(codePoint);
    const precedingWidth = (preceding >> 1) & 3;
    const joins = width === 0 && precedingWidth > 0;
    // The layout that xterm reads: bit 0 joins the character before, bits 1 and 2 are the width.
    return ((joins ? precedingWidth : width) << 1) | (joins ? 1 : 0);
  },
};
