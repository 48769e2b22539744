import {
  DateTimeField,
  EnumField,
  ListField,
  text,
  TextField,
  UuidField,
} from '../../../../platform/http/validation/index.js';
import { type Range, RANGES } from '../time-ranges.js';
import { DEFAULT_ANNOTATION_EVENTS, DEFAULT_TIME_ZONE, type ProjectSettings } from './project-settings.entity.js';
import { MOST_PATH_SEGMENTS, PROPERTY_PATH_PATTERN } from './redaction.js';
import { TimeZoneField } from './time-zone-field.js';

export class ReplaceSettingsRequest {
  @TimeZoneField({ optional: true, default: DEFAULT_TIME_ZONE, description: 'IANA name' })
  timezone!: string;

  @EnumField(RANGES, { optional: true, default: '24h', description: 'What clients open views with' })
  default_range!: Range;

  @ListField(text({ min: 1, max: 200, pattern: PROPERTY_PATH_PATTERN, check: fewSegments }), {
    max: 50,
    optional: true,
    default: [],
    example: ['card.number', 'users.*.email'],
    description:
      'Property paths whose values read [redacted] in every event stored from now on. `*` stands for any one name or index; lists are looked through; names are compared exactly. A path has at most 16 names.',
  })
  redacted_properties!: string[];

  @ListField(text({ min: 1, max: 500 }), {
    max: 100,
    optional: true,
    default: [],
    example: ['/metrics'],
    description: 'Endpoints that clients may leave out of views; hide_noise of the logs does not use them',
  })
  noise_endpoints!: string[];

  @ListField(text({ min: 1, max: 200 }), {
    max: 20,
    optional: true,
    default: DEFAULT_ANNOTATION_EVENTS,
    example: ['deploy.*', 'flag.changed'],
    description: 'Event types that clients mark on time axes; `*` stands for any characters',
  })
  annotation_events!: string[];
}

export class SettingsResponse {
  @UuidField({})
  project_id!: string;

  @TextField({ description: 'IANA name of a time zone' })
  timezone!: string;

  @EnumField(RANGES, { description: 'What views of the project begin with' })
  default_range!: Range;

  @ListField(text(), { description: 'Paths of properties that are masked before events are stored' })
  redacted_properties!: string[];

  @ListField(text(), { description: 'Endpoints that nobody wants to see' })
  noise_endpoints!: string[];

  @ListField(text(), {
    optional: true,
    description: 'Event types that clients mark on time axes; `*` stands for any characters',
  })
  annotation_events?: string[];

  @DateTimeField({ nullable: true, description: 'Null: never set, these are the defaults' })
  updated_at!: string | null;
}

export function settingsResponse(
  settings: Omit<ProjectSettings, 'updatedAt'> & { updatedAt: Date | null },
): SettingsResponse {
  return {
    project_id: settings.projectId,
    timezone: settings.timezone,
    default_range: settings.defaultRange,
    redacted_properties: settings.redactedProperties,
    noise_endpoints: settings.noiseEndpoints,
    annotation_events: settings.annotationEvents,
    updated_at: settings.updatedAt?.toISOString() ?? null,
  };
}

function fewSegments(path: string): string | undefined {
  if (path.split('.').length <= MOST_PATH_SEGMENTS) return undefined;
  return `a path must not have more than ${MOST_PATH_SEGMENTS} names`;
}
