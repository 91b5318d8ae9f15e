/** One word is shell text as it is; several are the words of one command, so that blanks in them stay theirs. */
export function shellText(words: string[]): string {
  return words.length === 1 ? (words[0] ?? '') : words.map(quoted).join(' ');
}

function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
