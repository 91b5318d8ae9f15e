import { describe, expect, it } from 'vitest';
import {
  formatDuration,
  parseCount,
  parseDuration,
  parseMemory,
  parsePairs,
  parsePort,
} from '../src/units.ts';

describe('units', () => {
  it('reads durations in seconds', () => {
    expect(['90', '90s', '30m', '8h', '7d', '1.5h'].map(parseDuration)).toEqual([
      90, 90, 1800, 28_800, 604_800, 5400,
    ]);
  });

  it('reads memory in MB', () => {
    expect(['512', '512m', '2g', '2G', '1.5gb', '1t'].map(parseMemory)).toEqual([
      512, 512, 2048, 2048, 1536, 1_048_576,
    ]);
  });

  it('refuses what is no amount, and says what is', () => {
    for (const text of ['', '0', '-1', 'm', '5 m', '5x', '1e3', 'abc']) {
      expect(() => parseDuration(text), text).toThrow('for example 30m');
      expect(() => parseMemory(text), text).toThrow('for example 2g');
    }
    expect(() => parsePort('65536')).toThrow('0 to 65535');
    expect(() => parsePort('x')).toThrow('0 to 65535');
    expect(() => parseCount('1.5')).toThrow('whole number');
  });

  it('reads pairs, with values that contain "=", and takes values by name where there is none', () => {
    const valueOf = (name: string) => (name === 'TOKEN' ? 's3cret' : undefined);
    expect(parsePairs(['A=1', 'B=x=y', 'C=', 'TOKEN'], valueOf, '--env')).toEqual({
      A: '1',
      B: 'x=y',
      C: '',
      TOKEN: 's3cret',
    });
    expect(() => parsePairs(['NOPE'], valueOf, '--env')).toThrow('--env NOPE has no value');
    expect(() => parsePairs(['=x'], valueOf, '--env')).toThrow('has no value');
  });

  it('says durations as people do', () => {
    expect([0, 59.4, 60, 3599, 3600, 86_399, 86_400 * 3].map(formatDuration)).toEqual([
      '0s',
      '59s',
      '1m',
      '59m',
      '1h',
      '23h',
      '3d',
    ]);
  });
});
