import { Logger as NestLogger } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { Logger, type LoggerOptions } from './logger.js';
import { runInContext, setContext } from './request-context.js';

function loggerInMemory(options: Partial<LoggerOptions> = {}): { logger: Logger; raw: string[]; lines: () => Record<string, unknown>[] } {
  const raw: string[] = [];
  const logger = new Logger({ level: 'info', destination: { write: (line) => raw.push(line) }, ...options });
  return { logger, raw, lines: () => raw.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('Logger', () => {
  it('writes one JSON object a line with time, level, message and fields', () => {
    const { logger, raw, lines } = loggerInMemory();
    logger.info('event stored', { count: 3, size: 12n });
    expect(raw).toHaveLength(1);
    expect(raw[0]).toMatch(/^\{.*\}\n$/);
    expect(lines()[0]).toEqual({
      level: 'info', time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/), message: 'event stored', count: 3, size: '12',
    });
  });

  it('carries the ids of the running request and nothing of them outside it', () => {
    const { logger, lines } = loggerInMemory();
    runInContext({ requestId: 'r1', userId: 'u1' }, () => {
      setContext({ organizationId: 'o1', projectId: 'p1', apiKeyId: 'k1' });
      logger.info('inside');
    });
    logger.info('outside');
    expect(lines()[0]).toMatchObject({ request_id: 'r1', organization_id: 'o1', project_id: 'p1', user_id: 'u1', api_key_id: 'k1' });
    expect(lines()[1]).not.toHaveProperty('request_id');
  });

  it('lets no credential through in message, fields or errors', () => {
    const { logger, raw } = loggerInMemory();
    const key = `oes_${'a1'.repeat(4)}_${'Zz09'.repeat(9)}Zz`;
    const jwt = `eyJ${'Zz09'.repeat(5)}.eyJ${'Zz09'.repeat(5)}.${'Zz09'.repeat(5)}`;
    logger.info(`key ${key}`, { jwt_text: `got ${jwt}`, headers: { Authorization: 'Bearer s3cr3t', 'x-api-key': key } });
    logger.error(`Bearer ${jwt}`, new Error(`password=s3cr3t`).stack, 'Context');
    logger.error(new Error(`token=s3cr3t`, { cause: { password: 's3cr3t' } }));
    logger.log({ body: { password: 's3cr3t' } });
    const all = raw.join('');
    for (const secret of [key, jwt, 's3cr3t']) expect(all).not.toContain(secret);
    expect(all).toContain('[redacted]');
  });

  it('logs errors with type, stack and cause', () => {
    const { logger, lines } = loggerInMemory();
    logger.write('error', 'delivery failed', { err: new RangeError('too far', { cause: new Error('deeper') }) });
    expect(lines()[0]).toMatchObject({
      level: 'error', message: 'delivery failed',
      err: { type: 'RangeError', message: 'too far', stack: expect.stringContaining('logger.spec'), cause: { message: 'deeper' } },
    });
  });

  it('drops what is below its level', () => {
    const { logger, lines } = loggerInMemory({ level: 'warn' });
    logger.debug('no');
    logger.info('no');
    logger.warn('yes');
    expect(lines().map((line) => line['message'])).toEqual(['yes']);
    const silent = loggerInMemory({ level: 'silent' });
    silent.logger.fatal('no');
    expect(silent.raw).toEqual([]);
  });

  it('keeps its own keys when fields have the same names', () => {
    const { logger, raw, lines } = loggerInMemory();
    logger.info('mine', { level: 'x', time: 'y', message: 'z' });
    expect(lines()[0]).toMatchObject({ level: 'info', message: 'mine', field_level: 'x', field_time: 'y', field_message: 'z' });
    expect(raw[0]?.match(/"message"/g)).toHaveLength(1);
  });

  it("serves as Nest's logger", () => {
    const { logger, lines } = loggerInMemory({ level: 'trace' });
    NestLogger.overrideLogger(logger);
    const nest = new NestLogger('OrdersService');
    nest.log('started');
    nest.error('broke', 'Error: broke\n    at here (file.js:1:2)');
    nest.warn({ attempt: 2 });
    nest.verbose('detail');
    nest.log('two', { parts: 2 });
    NestLogger.overrideLogger(false);
    expect(lines()).toMatchObject([
      { level: 'info', message: 'started', context: 'OrdersService' },
      { level: 'error', message: 'broke', context: 'OrdersService', stack: expect.stringContaining('at here') },
      { level: 'warn', data: { attempt: 2 }, context: 'OrdersService' },
      { level: 'trace', message: 'detail' },
      { level: 'info', message: 'two', parts: 2, context: 'OrdersService' },
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

  it('writes readable lines for a terminal without its control characters', () => {
    const { logger, raw } = loggerInMemory({ pretty: true });
    runInContext({ requestId: 'r1' }, () => logger.log('hello\u001b[2J', 'Boot'));
    logger.error(new Error('broken'));
    expect(raw[0]).toMatch(/^[\d:.]{12} \u001b\[32mINFO \u001b\[0m \[Boot\] hello\[2J request_id=r1\n$/);
    expect(raw[1]).toMatch(/ERROR.* broken\nError: broken\n +at /);
  });
});
