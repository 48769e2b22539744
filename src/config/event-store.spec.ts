import { describe, expect, it } from '@jest/globals';
import { ConfigError, loadConfig } from './load-config.js';

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

const URL = 'https://clickhouse.example.com:8443';

describe('the ClickHouse of the configuration', () => {
  it('is none without a URL, and has defaults with one', () => {
    expect(loadConfig({}).eventStore).toBeUndefined();
    expect(loadConfig({ CLICKHOUSE_URL: `${URL}/` }).eventStore).toEqual({
      url: URL,
      user: 'default',
      password: '',
      database: 'operational_events',
      cluster: undefined,
    });
  });

  it('has the user, password, database and cluster that are set', () => {
    const { eventStore } = loadConfig({
      CLICKHOUSE_URL: URL,
      CLICKHOUSE_USER: 'service',
      CLICKHOUSE_PASSWORD: 'pass',
      CLICKHOUSE_DATABASE: 'shop_events',
      CLICKHOUSE_CLUSTER: 'main-cluster',
    });
    expect(eventStore).toEqual({
      url: URL,
      user: 'service',
      password: 'pass',
      database: 'shop_events',
      cluster: 'main-cluster',
    });
  });

  it.each([
    ['CLICKHOUSE_URL', 'clickhouse://host', 'must be a URL starting with https:// or http://'],
    ['CLICKHOUSE_URL', 'http://user:secret@host', 'must be a URL without user and password'],
    ['CLICKHOUSE_URL', 'http://host/?database=x', 'must be a URL without query and fragment'],
    ['CLICKHOUSE_PASSWORD', 'two words', 'must be 1 to 512 visible ASCII characters'],
    ['CLICKHOUSE_DATABASE', 'a`b', 'must be a name of 1 to 63 letters, digits, _ and -'],
    ['CLICKHOUSE_CLUSTER', '1', 'must be a name of 1 to 63 letters, digits, _ and -'],
  ])('refuses %s %s without repeating the value', (name, text, message) => {
    expect(faultsOf({ CLICKHOUSE_URL: URL, [name]: text })).toEqual([`${name} ${message}`]);
  });

  it('needs a URL when another of its variables is set', () => {
    expect(faultsOf({ CLICKHOUSE_PASSWORD: 'pass' })).toEqual([
      'CLICKHOUSE_URL is missing, though CLICKHOUSE_PASSWORD is set',
    ]);
    expect(faultsOf({ EVENT_STORE: 'clickhouse' })).toEqual([
      'CLICKHOUSE_URL is missing, though EVENT_STORE is clickhouse',
    ]);
  });

  it('keeps its events for some days where that is said, as many as other things look back', () => {
    expect(loadConfig({}).eventRetentionDays).toBeUndefined();
    expect(loadConfig({ EVENT_RETENTION_DAYS: '30' }).eventRetentionDays).toBe(30);
    for (const days of ['29', '36501']) {
      expect(faultsOf({ EVENT_RETENTION_DAYS: days })).toEqual(['EVENT_RETENTION_DAYS must be between 30 and 36500']);
    }
  });

  it('has what PostgreSQL does not keep, where it is read from', () => {
    const read = { CLICKHOUSE_URL: URL, EVENT_STORE: 'clickhouse' };
    expect(loadConfig(read).eventsHotDays).toBeUndefined();
    expect(loadConfig({ ...read, EVENTS_HOT_DAYS: '35' }).eventsHotDays).toBe(35);
    expect(faultsOf({ ...read, EVENTS_HOT_DAYS: '34' })).toEqual(['EVENTS_HOT_DAYS must be between 35 and 36500']);
    expect(faultsOf({ CLICKHOUSE_URL: URL, EVENTS_HOT_DAYS: '35' })).toEqual([
      'EVENT_STORE must be clickhouse where EVENTS_HOT_DAYS is set',
    ]);
  });

  it('is read from when that is said', () => {
    expect(loadConfig({ CLICKHOUSE_URL: URL }).eventReads).toBe('postgres');
    expect(loadConfig({ CLICKHOUSE_URL: URL, EVENT_STORE: 'clickhouse' }).eventReads).toBe('clickhouse');
    expect(faultsOf({ EVENT_STORE: 'citus' })).toEqual(['EVENT_STORE must be one of postgres, clickhouse']);
  });
});
