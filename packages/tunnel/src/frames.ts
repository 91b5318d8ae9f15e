/** One message of the tunnel: a kind (one byte), the stream's number (four), and what the kind says. */
export type Frame = Uint8Array;

export const frameKinds = ['open', 'data', 'end', 'reset', 'credit'] as const;
export type FrameKind = (typeof frameKinds)[number];

export interface DecodedFrame {
  kind: FrameKind;
  streamNumber: number;
  payload: Uint8Array;
}

/** Small enough that frames of other streams, and other messages of the connection, get between. */
export const maxFrameBytes = 64 * 1024;
const headerBytes = 5;
export const maxPayloadBytes = maxFrameBytes - headerBytes;
export const maxLabelBytes = 256;
export const maxReasonBytes = 1024;
export const creditBytes = 4;

export function encodeFrame(kind: FrameKind, streamNumber: number, payload?: Uint8Array): Frame {
  const frame = Buffer.allocUnsafe(headerBytes + (payload?.length ?? 0));
  frame.writeUInt8(frameKinds.indexOf(kind), 0);
  frame.writeUInt32BE(streamNumber, 1);
  if (payload !== undefined) frame.set(payload, headerBytes);
  return frame;
}

/** The frame that a peer sent, or what is wrong with it. */
export function decodeFrame(received: unknown): DecodedFrame | { fault: string } {
  if (!(received instanceof Uint8Array)) return { fault: 'a frame is not binary' };
  if (received.length < headerBytes) return { fault: `a frame has only ${received.length} bytes` };
  if (received.length > maxFrameBytes) {
    return { fault: `a frame has ${received.length} bytes, more than ${maxFrameBytes}` };
  }
  const frame = Buffer.from(received.buffer, received.byteOffset, received.length);
  const kind = frameKinds[frame.readUInt8(0)];
  if (kind === undefined) return { fault: `a frame is of the unknown kind ${frame.readUInt8(0)}` };
  const payload = frame.subarray(headerBytes);
  if (kind === 'open' && payload.length > maxLabelBytes) {
    return { fault: `a label has ${payload.length} bytes, more than ${maxLabelBytes}` };
  }
  if (kind === 'credit' && payload.length !== creditBytes) {
    return { fault: `a credit has ${payload.length} bytes, not ${creditBytes}` };
  }
  return { kind, streamNumber: frame.readUInt32BE(1), payload };
}
