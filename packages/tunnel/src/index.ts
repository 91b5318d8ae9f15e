export type { Frame } from './frames.ts';
export { maxFrameBytes, maxLabelBytes } from './frames.ts';
export { StreamMux } from './stream-mux.ts';
