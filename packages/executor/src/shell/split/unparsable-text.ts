/** The text is not complete, correct bash. */
export class UnparsableText extends Error {}
