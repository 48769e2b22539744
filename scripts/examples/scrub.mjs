// Replaces in a recorded exchange the values of a single run: identifiers, times, secrets and addresses. The
// replacements are well-formed, the same in every recording, and plainly fictional. All other values stay as they were
// sent and answered.
import { createHash } from 'node:crypto';

const DAY = 86_400_000;
/**
 * The Monday to which every recording is moved. The distance is whole weeks, so that hours, days and weekdays stay the
 * same.
 */
const MONDAY = Date.UTC(2026, 2, 2);
/** Times further away than this are constants of a test. */
const RECENT = 120 * DAY;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const TIME = /\b(20\d\d-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?(Z|\+00:00)/g;
const DATE = /^20\d\d-\d\d-\d\d$/;
const MONTH = /^20\d\d-\d\d$/;
const EMAIL = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;
const HERE = /https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?/g;
const LONGEST_TEXT = 400;
/** The number of items that are kept of a list. A single further item is kept too. */
const MOST_OBJECTS = 2;
const MOST_TEXTS = 4;
const API = 'https://api.acme.example';
const DIGEST = '0123456789abcdef';
const PEOPLE = ['ada', 'grace', 'edsger', 'barbara', 'alan', 'radia'];

/** Secret members and their replacements. */
const SECRETS = [
  [/^(password|current_password|new_password)$/, () => 'correct-horse-battery'],
  [
    /^(secret|next_secret|old_secret)$/,
    (text) => (/^[A-Z2-7]{16,}$/.test(text) ? 'JBSWY3DPEHPK3PXP' : 'not-a-real-secret-0000000000'),
  ],
  [/^recovery_codes?$/, (_, nth) => `aaaa-bbbb-cccc-dddd-eeee-${String(nth).padStart(4, '0')}`],
  // The prefix of objects is a folder, and no secret.
  [/^(prefix|api_key_prefix)$/, (text) => (/^[0-9A-Za-z]{8}$/.test(text) ? 'EXAMPLE0' : text)],
  [/cursor|^next_after$|^next_before$|^after$|^before$/, () => 'T3BhcXVlQ3Vyc29y'],
];

/** Scrubs one exchange. `roleOfId` returns what the `id` of its answer identifies, such as `project`. */
export class Scrubber {
  #roleOfId;
  #names = new Map();
  #ids = new Map();
  #recordedAt;
  #shift;
  #months;

  constructor(recordedAt, roleOfId) {
    const day = Math.floor(recordedAt / DAY) * DAY;
    this.#recordedAt = recordedAt;
    this.#shift = Math.round((MONDAY - day) / (7 * DAY)) * 7 * DAY;
    const [from, to] = [new Date(recordedAt), new Date(MONDAY)];
    this.#months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
    this.#roleOfId = roleOfId;
  }

  value(value, key = '') {
    if (Array.isArray(value)) {
      const most = typeof value[0] === 'object' ? MOST_OBJECTS : MOST_TEXTS;
      return value.slice(0, value.length === most + 1 ? most + 1 : most).map((item) => this.value(item, key));
    }
    if (value !== null && typeof value === 'object') {
      const entries = Object.entries(value).map(([name, inner]) => [name, this.value(inner, nameIn(key, name))]);
      return withSlug(Object.fromEntries(entries.map(([name, inner]) => [this.#name(name), inner])));
    }
    if (typeof value === 'number') return this.#number(value);
    return typeof value === 'string' ? this.#text(value, key) : value;
  }

  /** Moves Unix times in seconds and milliseconds. Other numbers stay as they are. */
  #number(value) {
    const unit = [1_000, 1].find((each) => this.#isRecent(value * each));
    return unit === undefined ? value : Date.parse(this.#moved(value * unit)) / unit;
  }

  /** Most names of members are words of the API. Other names are keys that group an object. */
  #name(name) {
    return /^[A-Za-z]+$/.test(name) ? name : this.#text(name, '');
  }

  #text(text, key) {
    const secret = SECRETS.find(([name]) => name.test(key));
    if (secret !== undefined && text !== '') return secret[1](text, this.#nth(`${key} ${secret[0]}`, text));
    if (key === 'expires' && /^\d{10}$/.test(text)) return String(this.#number(Number(text)));
    if (DATE.test(text)) return this.#moved(`${text}T00:00:00Z`).slice(0, 10);
    if (MONTH.test(text)) return this.#moved(`${text}-01T00:00:00Z`).slice(0, 7);
    const scrubbed = text
      .replaceAll(UUID, (id, at) => this.#id(id.toLowerCase(), this.#roleBehind(text.slice(0, at), key)))
      .replaceAll(TIME, (time) => this.#moved(time))
      .replaceAll(/oes_[0-9A-Za-z]{8}_[0-9A-Za-z]+/g, 'oes_EXAMPLE_KEY_OF_NOBODY')
      .replaceAll(/whsec_[A-Za-z0-9+/=]+/g, 'the-signing-secret-of-nobody')
      .replaceAll(/eyJ[\w-]{10,}\.[\w-]+\.[\w-]+/g, 'header.payload.signature')
      .replaceAll(HERE, text.includes('/v1/') || !/^(target_)?url$/.test(key) ? API : 'https://hooks.acme.example')
      .replaceAll(/\bexpires=(\d{10})\b/g, (_, seconds) => `expires=${this.#number(Number(seconds))}`)
      .replaceAll(/\b[a-z0-9]{4}(-[a-z0-9]{4}){5}\b/g, 'aaaa-bbbb-cccc-dddd-eeee-0001')
      .replace(/^localhost$/, 'acme.example')
      .replaceAll(/\b127\.0\.0\.1\b/g, '203.0.113.7')
      .replaceAll(/u\*\*\*@example\.com/g, 'a***@acme.example')
      .replaceAll(EMAIL, (email) =>
        email.includes('*') || email.endsWith('@acme.example') ? email : this.#email(email),
      )
      .replaceAll(/user-[0-9a-f]{12}%40example\.com/g, 'ada%40acme.example')
      .replaceAll(/secret=[A-Z2-7]{16,}/g, 'secret=JBSWY3DPEHPK3PXP')
      .replaceAll(/\b(cus|sub|evt|si|cs_test|bps|price)_[0-9a-f]{12,}/g, '$1_EXAMPLE')
      .replaceAll(/\/[0-9a-f]{16}$/g, '/EXAMPLE')
      .replaceAll(/\b[0-9a-f]{64}\b/g, DIGEST.repeat(4))
      .replaceAll(/\bvm-\d+-[0-9a-f]{8}\b/g, 'worker-1')
      .replaceAll(/[\w-]{32,}/g, (token) => opaque(token, key))
      .replace(/^(?=.*[A-Z])(?=.*[a-z])[\w-]{22}$/, (token) => opaque(token, key));
    if (key === 'code' && /^\d{6}$/.test(scrubbed)) return '123456';
    return scrubbed.length > LONGEST_TEXT && key !== '' ? `${scrubbed.slice(0, LONGEST_TEXT - 1)}…` : scrubbed;
  }

  #moved(time) {
    const at = new Date(time);
    // Times that a test has written as constants are the same in every recording.
    if (!this.#isRecent(at.getTime())) return typeof time === 'string' ? time : at.toISOString();
    // The first moment of a month is moved to the first moment of another month.
    const isOfMonth = at.getUTCDate() === 1 && at.getTime() % DAY === 0;
    const moved = isOfMonth
      ? Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + this.#months, 1)
      : Math.floor((at.getTime() + this.#shift) / 1_000) * 1_000;
    return new Date(moved).toISOString();
  }

  /** Returns the same replacement for an id in every member that has it. */
  #id(id, role) {
    const known = this.#ids.get(id);
    if (known !== undefined) return known;
    const fake = fakeId(role, this.#nth(role, id));
    this.#ids.set(id, fake);
    return fake;
  }

  /**
   * Returns what an id identifies: by the collection before it in a URL, or by the member before it in a line of JSON.
   */
  #roleBehind(before, key) {
    const collection = /([a-z-]+)s\/$/.exec(before)?.[1];
    return collection !== undefined ? kindOf(collection) : this.#roleOf(/"(\w+)": ?"$/.exec(before)?.[1] ?? key);
  }

  #isRecent(time) {
    return Math.abs(time - this.#recordedAt) < RECENT;
  }

  #roleOf(key) {
    if (key === 'id' || key === 'ids' || key === '') return this.#roleOfId;
    if (/^(owner_id|user_id|created_by|updated_by|actor_user_id|assignee_id|acknowledged_by|dismissed_by)$/.test(key))
      return 'user';
    if (/event_ids?$|^event_id$/.test(key) && !key.startsWith('alert')) return 'event';
    return kindOf(key.replace(/_ids?$/, ''));
  }

  #email(email) {
    return `${PEOPLE[(this.#nth('people', email) - 1) % PEOPLE.length]}@acme.example`;
  }

  /** Returns the number of a text among those of its kind. The first is 1. */
  #nth(kind, text) {
    const known = this.#names.get(kind) ?? this.#names.set(kind, new Map()).get(kind);
    if (!known.has(text)) known.set(text, known.size + 1);
    return known.get(text);
  }
}

/**
 * Returns a UUID version 7, as the service makes them, of the first Monday. The middle encodes the kind, the end the
 * number.
 */
function fakeId(role, nth) {
  const kind = createHash('sha256').update(role).digest('hex').slice(0, 3);
  const time = (MONDAY + 9 * 3_600_000).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${kind}-8000-${String(nth).padStart(12, '0')}`;
}

/** Returns the name of a nested `id`, which identifies its parent, except below members that every list has. */
function nameIn(parent, name) {
  return name === 'id' && !['', 'items', 'results'].includes(parent) ? `${parent.replace(/s$/, '')}_id` : name;
}

/** Unifies the names that different places use for the same kind. */
function kindOf(role) {
  return role
    .replace(/^(?:alert[-_](?=rule|destination)|api[-_](?=key)|ingest[-_](?=source))/, '')
    .replace(/^invitation$/, 'invite')
    .replace(/^\w+_(?=attempt$)/, '');
}

/** Returns a text of the same length, up to 64 characters, and of the same alphabet. */
function opaque(text, key) {
  if (/^[0-9a-f-]{36}$/.test(text) || text.startsWith('oes_') || text.startsWith(DIGEST)) return text;
  const label = `Example-${key.replaceAll(/[^A-Za-z]/g, '-')}-`;
  return label.padEnd(Math.min(text.length, 64), '0').slice(0, 64);
}

/** Replaces the unique slugs of tests by one that the name gives. */
function withSlug(object) {
  if (!/^[0-9a-f]{12}$/.test(object.slug ?? '')) return object;
  const slug = (object.name ?? 'acme').toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return { ...object, slug };
}
