const escape = 0x1b;
/** Longer than any sequence that is still being sent: titles and links end long before. */
const longestSequence = 4096;

/** How many bytes at the end are the beginning of a character or of an escape sequence that goes on later. */
export function incompleteTailLength(bytes: Buffer): number {
  return Math.max(incompleteSequence(bytes), incompleteCharacter(bytes));
}

function incompleteCharacter(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

function incompleteSequence(bytes: Buffer): number {
  const at = bytes.lastIndexOf(escape);
  if (at === -1 || bytes.length - at > longestSequence) return 0;
  const sequence = bytes.toString('latin1', at);
  return isComplete(sequence) ? 0 : sequence.length;
}

function isComplete(sequence: string): boolean {
  if (sequence.startsWith('\x1b[')) return /^\x1b\[[0-?]*[ -/]*[@-~]/.test(sequence);
  // A string ends with BEL, or with a second escape, which would have been the last one.
  if (/^\x1b[\]PX^_]/.test(sequence)) return sequence.includes('\x07');
  return /^\x1b[ -/]*[0-~]/.test(sequence);
}
