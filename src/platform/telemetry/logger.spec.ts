import { Logger as NestLogger } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { Logger, type LoggerOptions } from './logger.js';
import { currentContext, runInContext } from './request-context.js';

function loggerInMemory(options: Partial<LoggerOptions> = {}): {
  logger: Logger;
  raw: string[];
  lines: () => Record<string, unknown>[];
} {
  const raw: string[] = [];
  const logger = new Logger({ level: 'info', destination: { write: (line) => void raw.push(line) }, ...options });
  return { logger, raw, lines: () => raw.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('Logger', () => {
  it('writes one JSON object a line with time, level, message and fields', () => {
    const { logger, raw, lines } = loggerInMemory();
    logger.info('event stored', { count: 3, size: 12n });
    logger.warn('no fields');
    expect(raw[0]).toMatch(/^\{.*\}\n$/);
    expect(lines()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        message: 'event stored',
        count: 3,
        size: '12',
      },
      { level: 'warn', time: expect.any(String), message: 'no fields' },
    ]);
  });

  it('carries the ids of the running request and nothing of them outside it', () => {
    const { logger, lines } = loggerInMemory();
    runInContext({ requestId: 'r1', cameAt: 0, userId: 'u1' }, () => {
      Object.assign(currentContext() ?? {}, { organizationId: 'o1', projectId: 'p1', apiKeyId: 'k1' });
      logger.info('inside');
    });
    logger.info('outside');
    expect(lines()[0]).toMatchObject({
      request_id: 'r1',
      user_id: 'u1',
      organization_id: 'o1',
      project_id: 'p1',
      api_key_id: 'k1',
    });
    expect(Object.keys(lines()[1] ?? {}).sort()).toEqual(['level', 'message', 'time']);
  });

  it('lets no credential through in message, fields or errors', () => {
    const { logger, raw } = loggerInMemory();
    const key = `oes_${'a1'.repeat(4)}_${'Zz09'.repeat(9)}Zz`;
    const jwt = `eyJ${'Zz09'.repeat(5)}.eyJ${'Zz09'.repeat(5)}.${'Zz09'.repeat(5)}`;
    logger.info(`key ${key}`, { text: `got ${jwt}`, headers: { Authorization: 'Bearer s3cr3t', 'x-api-key': key } });
    logger.error(`Bearer ${jwt}`, { err: new Error('token=s3cr3t', { cause: { password: 's3cr3t' } }) });
    logger.error(new Error('secret: s3cr3t'), new Error('password=s3cr3t').stack, 'Context');
    logger.log({ body: { password: 's3cr3t' } });
    const all = raw.join('');
    for (const secret of [key, jwt, 's3cr3t']) expect(all).not.toContain(secret);
    expect(raw).toHaveLength(4);
  });

  it('logs errors with type, stack and cause, under any name', () => {
    const { logger, lines } = loggerInMemory();
    const error = new RangeError('too far', { cause: new Error('deeper') });
    logger.error('delivery failed', { error, err: error });
    const spelled = {
      type: 'RangeError',
      message: 'too far',
      stack: expect.stringContaining('logger.spec'),
      cause: expect.objectContaining({ message: 'deeper' }),
    };
    expect(lines()[0]).toMatchObject({ level: 'error', message: 'delivery failed', error: spelled, err: spelled });
  });

  it('writes a line whose members are spelled among the others, whatever its level', () => {
    const { logger, lines } = loggerInMemory({ level: 'warn' });
    logger.warn('before');
    logger.writeSpelled('info', 'request', ',"route":"/a","duration_ms":3');
    logger.warn('after');
    expect(lines()).toEqual([
      expect.objectContaining({ message: 'before' }),
      { level: 'info', time: expect.any(String), route: '/a', duration_ms: 3, message: 'request' },
      expect.objectContaining({ message: 'after' }),
    ]);
  });

  it('drops what is below its level', () => {
    const { logger, lines } = loggerInMemory({ level: 'warn' });
    logger.info('no');
    logger.debug('no');
    logger.warn('yes');
    expect(lines().map((line) => line['message'])).toEqual(['yes']);
    const silent = loggerInMemory({ level: 'silent' });
    silent.logger.fatal('no');
    silent.logger.writeSpelled('info', 'request', '');
    expect(silent.raw).toEqual([]);
  });

  it('keeps its own keys when fields have the same names', () => {
    const { logger, raw, lines } = loggerInMemory();
    logger.info('mine', { level: 'x', time: 'y', message: 'z' });
    expect(lines()[0]).toMatchObject({
      level: 'info',
      message: 'mine',
      field_level: 'x',
      field_time: 'y',
      field_message: 'z',
    });
    expect(raw[0]?.match(/"message"/g)).toHaveLength(1);
  });

  it('takes what Nest and its users write', () => {
    const { logger, lines } = loggerInMemory({ level: 'trace' });
    NestLogger.overrideLogger(logger);
    const nest = new NestLogger('OrdersService');
    nest.log('started');
    nest.error('broke', 'Error: broke\n    at here (file.js:1:2)');
    nest.error(new TypeError('odd'));
    nest.warn({ attempt: 2 });
    nest.verbose('detail');
    nest.fatal('two', { parts: 2 }, 7);
    NestLogger.overrideLogger(false);
    expect(lines()).toMatchObject([
      { level: 'info', message: 'started', context: 'OrdersService' },
      { level: 'error', message: 'broke', context: 'OrdersService', stack: expect.stringContaining('at here') },
      { level: 'error', message: 'odd', context: 'OrdersService', err: { type: 'TypeError' } },
      { level: 'warn', data: { attempt: 2 }, context: 'OrdersService' },
      { level: 'trace', message: 'detail', context: 'OrdersService' },
      { level: 'fatal', message: 'two', context: 'OrdersService', parts: 2, details: [7] },
    ]);
  });

  it("follows Nest's choice of levels", () => {
    const { logger, lines } = loggerInMemory({ level: 'trace' });
    logger.setLogLevels(['error', 'warn']);
    logger.log('no');
    logger.warn('yes');
    logger.setLogLevels([]);
    logger.fatal('no');
    expect(lines().map((line) => line['message'])).toEqual(['yes']);
  });

  it('writes readable lines for a terminal without their control characters', () => {
    const { logger, raw } = loggerInMemory({ pretty: true });
    runInContext({ requestId: 'r1', cameAt: 0 }, () => logger.log('hello\u001b[2J', { n: 1 }, 'Boot'));
    logger.error('it broke', { err: new Error('broken') });
    expect(raw[0]).toMatch(/^[\d:.]{12} \u001b\[32mINFO \u001b\[0m \[Boot\] hello\[2J request_id=r1 n=1\n$/);
    expect(raw[1]).toMatch(/ERROR.* it broke\nError: broken\n +at /);
  });
});
