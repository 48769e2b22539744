import { describe, expect, it } from '@jest/globals';
import { SHOWN_STORAGE_LIMITS } from './object-storage.js';
import { ConfigError, loadConfig } from './load-config.js';

const GB = 1_024 ** 3;
const TB = 1_024 ** 4;

const S3 = {
  S3_ENDPOINT: 'https://s3.example.com/',
  S3_REGION: 'eu-west-1',
  S3_BUCKET: 'event-service.objects',
  S3_ACCESS_KEY_ID: 'AKIA0001',
  S3_SECRET_ACCESS_KEY: 'very/secret+key',
};

function faultsOf(env: Record<string, string | undefined>): readonly string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

describe('the configuration of object storage', () => {
  it('has no S3 by default', () => {
    expect(loadConfig({}).storage.s3).toBeUndefined();
  });

  it('has S3 when all of its variables are set', () => {
    const settings = {
      endpoint: 'https://s3.example.com',
      region: 'eu-west-1',
      bucket: 'event-service.objects',
      accessKeyId: 'AKIA0001',
      secretAccessKey: 'very/secret+key',
      forcePathStyle: false,
    };
    expect(loadConfig(S3).storage.s3).toEqual(settings);
    expect(loadConfig({ ...S3, S3_FORCE_PATH_STYLE: 'true' }).storage.s3).toEqual({
      ...settings,
      forcePathStyle: true,
    });
  });

  it.each([
    [
      { S3_BUCKET: 'objects', S3_REGION: 'x', S3_ACCESS_KEY_ID: 'k', S3_SECRET_ACCESS_KEY: 's' },
      'S3_ENDPOINT is missing, though S3_REGION is set',
    ],
    [
      { S3_BUCKET: 'objects' },
      'S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are missing, though S3_BUCKET is set',
    ],
    [
      { S3_FORCE_PATH_STYLE: 'false' },
      'S3_ENDPOINT, S3_REGION, S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are missing, though S3_FORCE_PATH_STYLE is set',
    ],
  ])('names the missing variables in one sentence for %j', (env, sentence) => {
    expect(faultsOf(env)).toEqual([sentence]);
  });

  it.each([
    ['S3_ENDPOINT', 's3.example.com', 'must be a URL starting with https:// or http://'],
    ['S3_ENDPOINT', 'ftp://s3.example.com', 'must be a URL starting with https:// or http://'],
    ['S3_ENDPOINT', 'https://s3.example.com/?x=1', 'must be a URL without query and fragment'],
    ['S3_ENDPOINT', 'https://user:secret@s3.example.com', 'must be a URL without user and password'],
    ['S3_BUCKET', 'a/b', 'must be the name of a bucket'],
    ['S3_BUCKET', 'ab', 'must be the name of a bucket'],
    ['S3_SECRET_ACCESS_KEY', 'two words', 'must be 1 to 512 visible ASCII characters'],
    ['S3_FORCE_PATH_STYLE', 'maybe', 'must be true or false'],
  ])('refuses %s %s without repeating the value', (name, text, message) => {
    expect(faultsOf({ ...S3, [name]: text })).toEqual([`${name} ${message}`]);
  });
});

describe('the configuration of storage limits', () => {
  it('has the limits of the plans by default', () => {
    const { limits } = loadConfig({}).storage;
    expect(limits).toEqual({
      free: { storageBytes: 10 * GB, bandwidthBytes: 20 * GB, fileBytes: 500 * 1_024 ** 2 },
      pro: { storageBytes: 250 * GB, bandwidthBytes: 250 * GB, fileBytes: GB },
      scale: { storageBytes: TB, bandwidthBytes: 500 * GB, fileBytes: 5 * GB },
      enterprise: { storageBytes: null, bandwidthBytes: null, fileBytes: 5 * TB },
    });
    expect(loadConfig({ STORAGE_LIMITS: SHOWN_STORAGE_LIMITS }).storage.limits).toEqual(limits);
  });

  it('changes the limits of some plans and keeps those of the others', () => {
    const { limits } = loadConfig({ STORAGE_LIMITS: 'free=1MB/2MB/3KB, enterprise=10TB/-/-,' }).storage;
    expect(limits).toEqual({
      ...loadConfig({}).storage.limits,
      free: { storageBytes: 1_048_576, bandwidthBytes: 2_097_152, fileBytes: 3_072 },
      enterprise: { storageBytes: 10 * TB, bandwidthBytes: null, fileBytes: null },
    });
  });

  it.each([
    'free',
    'free=1MB',
    'free=1MB/2MB',
    'free=1MB/2MB/3MB/4MB',
    'free=1/2/3',
    'free=1mb/2MB/3MB',
    'free=-1MB/-/-',
    'free=/-/-',
    'free=1.5GB/-/-',
    'free=8192TB/-/-',
    'free=999999999999TB/-/-',
    'FREE=1MB/-/-',
  ])('refuses %s as storage limits', (text) => {
    expect(faultsOf({ STORAGE_LIMITS: text })).toEqual([
      'STORAGE_LIMITS must be plan=storage/bandwidth/file, each a number with KB, MB, GB or TB, or - for none',
    ]);
  });

  it('refuses a plan that does not exist', () => {
    expect(faultsOf({ STORAGE_LIMITS: 'business=1MB/-/-' })).toEqual([
      'STORAGE_LIMITS names an unknown plan; the plans are free, pro, scale, enterprise',
    ]);
  });
});

describe('the configuration of uploads and metered storage', () => {
  it('has a default for each variable but the public URL', () => {
    const { storage, http } = loadConfig({});
    expect(storage).toMatchObject({ objectBodyMaxBytes: 16_777_216, meteredBillingEnabled: false });
    expect(http.publicApiUrl).toBeUndefined();
  });

  it('has the values that are set', () => {
    const { storage, http } = loadConfig({
      OBJECT_BODY_MAX_BYTES: '4096',
      STORAGE_METERED_BILLING_ENABLED: 'on',
      PUBLIC_API_URL: 'https://api.example.com/events//',
    });
    expect(storage).toMatchObject({ objectBodyMaxBytes: 4_096, meteredBillingEnabled: true });
    expect(http.publicApiUrl).toBe('https://api.example.com/events');
  });

  it.each([
    [{ OBJECT_BODY_MAX_BYTES: '0' }, 'OBJECT_BODY_MAX_BYTES must be between 1 and 5368709120'],
    [{ STORAGE_METERED_BILLING_ENABLED: 'sometimes' }, 'STORAGE_METERED_BILLING_ENABLED must be true or false'],
    [{ PUBLIC_API_URL: 'api.example.com' }, 'PUBLIC_API_URL must be a URL starting with https:// or http://'],
    [{ PUBLIC_API_URL: 'https://api.example.com?x' }, 'PUBLIC_API_URL must be a URL without query and fragment'],
  ])('is refused with %j', (env, sentence) => {
    expect(faultsOf(env)).toEqual([sentence]);
  });
});
