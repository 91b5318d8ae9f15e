import type { HostOptions } from '../../gateway/support/gateway-process.ts';

/** One of the ways from a browser to a gateway. */
export interface FrontKind {
  /** For names of screenshots. */
  name: string;
  /** What it needs of the machine. */
  tags: string[];
  chromiumArgs: string[];
  open(gatewayPort: number): Promise<Front>;
}

export interface Front {
  /** What the gateway is told of it. */
  options: Partial<HostOptions>;
  /** Where browsers find the gateway itself, without a slash at its end. */
  url: string;
  close(): Promise<void>;
}

/** A browser that asks the gateway itself. */
export function straight(
  name: string,
  options: (gatewayPort: number) => Partial<HostOptions> = () => ({}),
): FrontKind {
  return {
    name,
    tags: [],
    chromiumArgs: [],
    open: async (port) => {
      const told = options(port);
      return {
        options: told,
        url: told.publicUrl ?? `http://127.0.0.1:${port}${told.basePath ?? ''}`,
        close: async () => undefined,
      };
    },
  };
}
