import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type DemoOptions, parseArguments } from './args.js';
import { ArgumentError } from './demo-error.js';

type Environment = Parameters<typeof parseArguments>[1];

function parse(argv: string[], env: Environment = {}): DemoOptions {
  const options = parseArguments(argv, env);
  if (options === 'help') throw new Error('options expected');
  return options;
}

describe('parseArguments', () => {
  it('has a default for everything', () => {
    expect(parse([])).toEqual({
      target: { url: 'http://127.0.0.1:3000', fromOption: false, portIsGiven: false },
      file: null,
      count: 500,
      seed: 1,
      isLive: false,
      historyDays: null,
      dataDir: { path: resolve('.data'), fromOption: false },
    });
  });

  it('takes every option, with a space or an equals sign', () => {
    const { target, count, seed, dataDir } = parse([
      '--url',
      'http://localhost:4000/',
      '--count=25',
      '--seed',
      '0',
      '--data-dir=/srv/data',
    ]);
    expect(target).toEqual({ url: 'http://localhost:4000', fromOption: true, portIsGiven: true });
    expect({ count, seed, dataDir }).toEqual({ count: 25, seed: 0, dataDir: { path: '/srv/data', fromOption: true } });
  });

  it('resolves the file against the working folder', () => {
    expect(parse(['--file', 'events.ndjson']).file).toBe(resolve('events.ndjson'));
  });

  it.each([
    [{ PORT: '8080' }, 'http://127.0.0.1:8080', true],
    [{ HOST: '0.0.0.0', PORT: '8080' }, 'http://127.0.0.1:8080', true],
    [{ HOST: '::' }, 'http://[::1]:3000', false],
    [{ HOST: '::1', PORT: '81' }, 'http://[::1]:81', true],
    [{ HOST: 'api.internal' }, 'http://api.internal:3000', false],
    [{ HOST: ' ', PORT: '' }, 'http://127.0.0.1:3000', false],
    [{ PORT: '0' }, 'http://127.0.0.1:3000', false],
  ])('finds the service of %j at %s', (env: Environment, url, portIsGiven) => {
    expect(parse([], env).target).toEqual({ url, fromOption: false, portIsGiven });
  });

  it('lets --url win over HOST and PORT', () => {
    expect(parse(['--url', 'https://api.example.com/base/'], { PORT: '9' }).target.url).toBe(
      'https://api.example.com/base',
    );
  });

  it('takes the data folder from DATA_DIR, and from the option before it', () => {
    expect(parse([], { DATA_DIR: '/var/oes' }).dataDir).toEqual({ path: '/var/oes', fromOption: false });
    expect(parse(['--data-dir', '/tmp/x'], { DATA_DIR: '/var/oes' }).dataDir).toEqual({
      path: '/tmp/x',
      fromOption: true,
    });
  });

  it.each([['--help'], ['-h'], ['--count', '5', '--help']])('is asked for help by %j', (...argv: string[]) => {
    expect(parseArguments(argv, {})).toBe('help');
  });

  it('begins a live shop with more of the day before', () => {
    expect(parse(['--live'])).toMatchObject({ isLive: true, count: 2000, file: null });
    expect(parse(['--live', '--count', '70'])).toMatchObject({ isLive: true, count: 70 });
  });

  it('takes the days of a history, and more events for more days', () => {
    expect(parse(['--history', '14d'])).toMatchObject({ isLive: false, historyDays: 14, count: 210_000 });
    expect(parse(['--live', '--history=30d', '--count', '450000'])).toMatchObject({
      isLive: true,
      historyDays: 30,
      count: 450_000,
    });
  });

  it.each(['0d', '31d', '400d', '14', 'd', '-1d', '1.5d', '2w', 'soon', ''])(
    'refuses the history %j with one sentence',
    (text) => {
      expect(() => parseArguments([`--history=${text}`], {})).toThrow(
        /^--history must be a number of days from 1d to 30d, such as 14d; every plan keeps events for so long$/,
      );
    },
  );

  it('refuses fewer events than the jobs and deploys of the days make, with the minimum', () => {
    expect(() => parse(['--history', '14d', '--count', '979'])).toThrow(
      '--count must be a whole number from 980 to 450000',
    );
    expect(() => parse(['--live', '--count', '69'])).toThrow('--count must be a whole number from 70 to 10000');
  });

  it.each([
    [['--live', '--file', 'a.ndjson']],
    [['--history', '3d', '--file', 'a.ndjson']],
    [['--history', '3d', '--count', '450001']],
    [['--history']],
    [['--count', '0']],
    [['--count', '10001']],
    [['--count', '1.5']],
    [['--count', '-3']],
    [['--count']],
    [['--seed', '4294967296']],
    [['--url', 'localhost:3000']],
    [['--url', 'ftp://example.com']],
    [['--url', 'http://user:pass@example.com']],
    [['--url', 'http://example.com/?a=1']],
    [['--file', '']],
    [['--data-dir', '']],
    [['--file', 'a.ndjson', '--count', '3']],
    [['--file', 'a.ndjson', '--seed', '3']],
    [['--verbose']],
    [['events.ndjson']],
  ])('refuses the arguments %j', (argv) => {
    expect(() => parseArguments(argv, {})).toThrow(ArgumentError);
  });

  it('refuses a PORT that is none', () => {
    expect(() => parseArguments([], { PORT: '70000' })).toThrow('PORT must be a whole number from 0 to 65535');
  });
});
