/** `C-c` and its like: the control character to send, without Enter. Undefined for ordinary text. */
export function specialKey(text: string): string | undefined {
  if (text.length !== 3 || !text.startsWith('C-')) return undefined;
  const code = text.toUpperCase().charCodeAt(2);
  // @ A … Z [ \ ] ^ _ are the keys that have a control character.
  return code >= 0x40 && code <= 0x5f ? String.fromCharCode(code & 0x1f) : undefined;
}

/**
 * What a terminal gets for an agent's input: a control key alone; text that has control characters in it (an
 * escape sequence, say) as it is; any other text with Enter behind each line.
 */
export function inputBytes(text: string): string {
  const key = specialKey(text.trim());
  if (key !== undefined) return key;
  if (/[\x00-\x08\x0b-\x1f\x7f]/.test(text)) return text;
  return `${text.replace(/\n$/, '').replaceAll('\n', '\r')}\r`;
}
