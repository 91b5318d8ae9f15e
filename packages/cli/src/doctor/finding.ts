/** One thing that was looked at. */
export interface Finding {
  name: string;
  /** `missing` is what something needs; `limited` works without it, with less. */
  status: 'ok' | 'limited' | 'missing';
  detail: string;
  /** What it would enable. */
  enables?: string;
  /** What to do. */
  remedy?: string;
}
