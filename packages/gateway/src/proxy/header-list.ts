/** Headers as they came: names and values in turns. */
export type HeaderList = string[];

/** Of the first header of that name, which is given in lower case. */
export function headerValue(headers: HeaderList, name: string): string | undefined {
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index]!.toLowerCase() === name) return headers[index + 1];
  }
  return undefined;
}

export function headerPairs(headers: HeaderList): [string, string][] {
  return Array.from({ length: headers.length / 2 }, (_, index) => [
    headers[2 * index]!,
    headers[2 * index + 1]!,
  ]);
}
