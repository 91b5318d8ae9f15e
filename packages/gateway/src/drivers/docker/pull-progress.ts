/** What the engine tells of one layer of an image while it pulls it. */
export interface PullEvent {
  id?: string;
  status?: string;
  progressDetail?: { current?: number; total?: number };
}

const betweenLinesMs = 500;

/** Turns what the engine tells of each layer into lines about the whole image, when there is something new to tell. */
export function pullProgress(image: string, onProgress: (text: string) => void): (event: PullEvent) => void {
  const layers = new Map<string, { got: number; unpacked: number; total: number }>();
  let lastText = '';
  let lastAtMs = -Infinity;

  return ({ id, status, progressDetail }) => {
    if (id === undefined) return;
    const layer = layers.get(id) ?? { got: 0, unpacked: 0, total: 0 };
    const { current = 0, total = layer.total } = progressDetail ?? {};
    if (status === 'Downloading') layers.set(id, { ...layer, got: current, total });
    else if (status === 'Download complete') layers.set(id, { ...layer, got: layer.total });
    else if (status === 'Extracting') layers.set(id, { got: total, unpacked: current, total });
    else if (status === 'Pull complete')
      layers.set(id, { ...layer, got: layer.total, unpacked: layer.total });
    else return;
    tell();
  };

  function tell(): void {
    const sums = { got: 0, unpacked: 0, total: 0 };
    for (const { got, unpacked, total } of layers.values()) {
      sums.got += got;
      sums.unpacked += unpacked;
      sums.total += total;
    }
    const isHere = sums.got === sums.total;
    const text = isHere
      ? `Unpacking ${image}: ${megabytes(sums.unpacked)} of ${megabytes(sums.total)} MB`
      : `Pulling ${image}: ${megabytes(sums.got)} of ${megabytes(sums.total)} MB`;
    const nowMs = performance.now();
    if (text === lastText || nowMs - lastAtMs < betweenLinesMs) return;
    lastText = text;
    lastAtMs = nowMs;
    onProgress(text);
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
