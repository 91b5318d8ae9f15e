/** What an agent wrote must not work on the terminal of whoever reads it. Line ends and tabs stay. */
export function harmless(text: string): string {
  return text.replaceAll(/[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]/g, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x20 ? `^${String.fromCharCode(code + 0x40)}` : '^?';
  });
}
