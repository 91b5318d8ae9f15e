export interface TextEncoding {
  name: 'utf-8' | 'utf-8 with stray bytes' | 'utf-16le' | 'utf-16be' | LegacyEncoding;
  byteOrderMark: boolean;
}

export type LegacyEncoding =
  | 'latin1'
  | 'windows-1252'
  | 'windows-1251'
  | 'koi8-r'
  | 'shift_jis'
  | 'euc-jp'
  | 'gb18030'
  | 'big5'
  | 'euc-kr';

export const utf8: TextEncoding = { name: 'utf-8', byteOrderMark: false };
