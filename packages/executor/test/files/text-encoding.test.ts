import fc from 'fast-check';
import { deflateSync, gzipSync } from 'node:zlib';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { decodeWithStrays, encodeWithStrays } from '../../src/files/stray-bytes.ts';
import { decodeText, encodeText, isBinary } from '../../src/files/text-encoding.ts';

const languages = {
  french: 'Voici une façon élégante de gérer les préférences de l’été.\nÀ bientôt, là-bas où naît le cœur.\n',
  german: 'Die Straße ist schön, aber für größere Autos zu eng.\nÄpfel und Öl, übrigens.\n',
  russian: 'Привет, мир! Это обычный русский текст.\nОн состоит из нескольких предложений и слов.\n',
  japanese:
    'これは日本語のテキストです。\n漢字とカタカナとひらがなが混ざっています。設定ファイルを読み込みます。\n',
  chinese: '这是一个中文文本文件。\n我们在这里测试编码检测是否正确,不应该被认为是二进制文件。\n',
  taiwanese: '這是一個繁體中文的檔案。\n我們在這裡測試編碼偵測是否正確，不應該被當成二進位檔。\n',
  korean: '이것은 한국어 텍스트 파일입니다.\n우리는 여기에서 인코딩 감지가 올바른지 시험합니다.\n',
  english: 'Plain old text, with nothing in it.\n',
};

const written: [string, string, string][] = [
  ['latin1', languages.german, 'latin1'],
  ['latin1', 'x = "café"\n', 'latin1'],
  ['windows-1252', languages.french, 'windows-1252'],
  ['windows-1252', 'price: 5 €\n', 'windows-1252'],
  ['windows-1251', languages.russian, 'windows-1251'],
  ['koi8-r', languages.russian, 'koi8-r'],
  ['shift_jis', languages.japanese, 'shift_jis'],
  ['shift_jis', '// 設定\nint main(void) { return 0; }\n', 'shift_jis'],
  ['euc-jp', languages.japanese, 'euc-jp'],
  ['gb18030', languages.chinese, 'gb18030'],
  ['gb18030', 'print("你好，世界")\n', 'gb18030'],
  ['gb18030', `${languages.chinese}😀𠀀\n`, 'gb18030'],
  ['big5', languages.taiwanese, 'big5'],
  ['euc-kr', languages.korean, 'euc-kr'],
];

describe('what a file is written in is found out', () => {
  test.each(written)('%s: %s', async (encoding, text, expected) => {
    for (const sample of [text, `${'# licence\n'.repeat(20_000)}${text}`, text.replaceAll('\n', '\r\n')]) {
      const decoded = await decodeText(iconv.encode(sample, encoding));
      expect(decoded?.encoding).toEqual({ name: expected, byteOrderMark: false });
      expect(decoded?.text).toBe(sample);
    }
  });

  test.each(Object.values(languages))('every Unicode form: %s', async (text) => {
    const forms = [
      [Buffer.from(text), 'utf-8', false],
      [Buffer.from(`\ufeff${text}`), 'utf-8', true],
      [Buffer.from(`\ufeff${text}`, 'utf16le'), 'utf-16le', true],
      [Buffer.from(`\ufeff${text}`, 'utf16le').swap16(), 'utf-16be', true],
      [Buffer.from(text, 'utf16le'), 'utf-16le', false],
      [Buffer.from(text, 'utf16le').swap16(), 'utf-16be', false],
    ] as const;
    for (const [bytes, name, byteOrderMark] of forms) {
      const decoded = await decodeText(bytes);
      expect(decoded).toEqual({ text, encoding: { name, byteOrderMark } });
      expect(Buffer.compare(bytes, (await encodeText(text, decoded!.encoding))!)).toBe(0);
    }
  });
});

test('what is written again is what was read, byte for byte', async () => {
  const encodings = [
    'latin1',
    'windows-1252',
    'windows-1251',
    'koi8-r',
    'shift_jis',
    'euc-jp',
    'gb18030',
    'big5',
    'euc-kr',
  ];
  const words = Object.values(languages).flatMap((text) => text.split(/(?<=[\s,.。，])/));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...words, '\r\n', '\t', 'ASCII '), { minLength: 1, maxLength: 40 }),
      fc.constantFrom(...encodings),
      async (parts, encoding) => {
        const bytes = iconv.encode(parts.join(''), encoding);
        const decoded = await decodeText(bytes);
        if (decoded === undefined) return;
        const again = await encodeText(decoded.text, decoded.encoding);
        expect(again && Buffer.compare(bytes, again)).toBe(0);
      },
    ),
  );
});

test('any Unicode text survives UTF-8 and UTF-16', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.constantFrom('utf-8', 'utf-16le', 'utf-16be'),
      fc.boolean(),
      async (text, name, byteOrderMark) => {
        const bytes = await encodeText(text, { name, byteOrderMark });
        const decoded = bytes && (await decodeText(bytes));
        if (decoded === undefined) return;
        expect(await encodeText(decoded.text, decoded.encoding)).toEqual(bytes);
      },
    ),
  );
});

test('UTF-8 with a few stray bytes is text, and comes back with them', async () => {
  const cut = Buffer.concat([
    Buffer.from('Straße, größer, кириллица, 日本語'),
    Buffer.from([0xe6, 0x97, 0x0a, 0xff, 0x80]),
  ]);
  const decoded = await decodeText(cut);
  expect(decoded?.encoding.name).toBe('utf-8 with stray bytes');
  expect(decoded?.text.toWellFormed()).toBe('Straße, größer, кириллица, 日本語\ufffd\ufffd\n\ufffd\ufffd');
  expect(Buffer.compare(cut, (await encodeText(decoded!.text, decoded!.encoding))!)).toBe(0);
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), async (bytes) => {
      const name = 'utf-8 with stray bytes' as const;
      expect(Buffer.compare(encodeWithStrays(decodeWithStrays(Buffer.from(bytes))), bytes)).toBe(0);
      expect(await encodeText('half \ud800', { name, byteOrderMark: false })).toBeUndefined();
    }),
  );
});

const noise = Buffer.from(
  Array.from({ length: 4000 }, (_, index) => (index * index * 31 + index * 7 + 13) & 0xff),
);

test.each([
  [
    'PNG',
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
  ],
  ['JPEG', Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]), Buffer.from('JFIF\0'), noise])],
  ['PDF', Buffer.from('%PDF-1.7\n%âãÏÓ\n1 0 obj\n<< /Type /Catalog >>\nendobj\n', 'latin1')],
  ['ELF', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0])],
  ['zip', Buffer.from('504b03041400000008', 'hex')],
  ['empty zip', Buffer.from('504b0506000000000000', 'hex')],
  ['gzip', gzipSync('hello')],
  ['deflated', deflateSync(noise)],
  ['noise', noise],
  ['noise without NUL', noise.filter((byte) => byte !== 0)],
  ['UTF-32', Buffer.from('fffe00006100000062000000', 'hex')],
  ['numbers', Buffer.from(Float64Array.from({ length: 50 }, (_, index) => index / 3).buffer)],
  ['NULs', Buffer.alloc(64)],
])('%s is binary', (_, bytes) => {
  expect(isBinary(bytes)).toBe(true);
});

test.each([
  ['nothing', ''],
  ['colours', '\x1b[31mred\x1b[0m\n'],
  ['form feeds and backspaces', 'a\f\nb\x08b\n'],
  ['control characters between fields', '8=FIX.4.2\x019=12\x0135=A\x01\n'],
  ['emoji', '🎉🎊'],
  ['one letter', 'é'],
])('%s is text', (_, text) => {
  expect(isBinary(Buffer.from(text))).toBe(false);
});

test('an encoding refuses what it cannot express', async () => {
  expect(await encodeText('5 €', { name: 'latin1', byteOrderMark: false })).toBeUndefined();
  expect(await encodeText('ü', { name: 'shift_jis', byteOrderMark: false })).toBeUndefined();
  expect(await encodeText('\udc00', { name: 'utf-8', byteOrderMark: false })).toBeUndefined();
  expect(await encodeText('😀', { name: 'gb18030', byteOrderMark: false })).toBeDefined();
});
