import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { BufferedDestination } from './buffered-destination.js';

describe('a held line', () => {
  const written: string[] = [];
  const lines = new BufferedDestination({
    write: (text) => void written.push(text),
    end: () => void written.push('end'),
  });

  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => {
    jest.useRealTimers();
    written.length = 0;
  });

  it('waits together with others for 100 ms', () => {
    lines.hold('a\n');
    jest.advanceTimersByTime(60);
    lines.hold('b\n');
    jest.advanceTimersByTime(39);
    expect(written).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(written).toEqual(['a\nb\n']);
    jest.advanceTimersByTime(1_000);
    expect(written).toHaveLength(1);
  });

  it('is written before any other line', () => {
    lines.hold('a\n');
    lines.write('b\n');
    expect(written).toEqual(['a\n', 'b\n']);
  });

  it('is written early when too many are held', () => {
    const line = `${'x'.repeat(999)}\n`;
    for (let count = 0; count < 33; count += 1) lines.hold(line);
    expect(written.join('').length).toBe(33_000);
  });

  it('is written when the process ends', () => {
    lines.hold('last\n');
    process.emit('exit', 0);
    expect(written).toEqual(['last\n', 'end']);
  });
});
