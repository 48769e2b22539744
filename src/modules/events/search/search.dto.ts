import {
  BooleanField,
  DateTimeField,
  EnumField,
  enumOf,
  IntField,
  ListField,
  nested,
  NestedField,
  NumberField,
  TextField,
  UuidField,
} from '../../../platform/http/validation/index.js';
import { type Range, RANGES } from '../../tenancy/projects/index.js';
import {
  MOST_EXCERPT,
  MOST_WORDS,
  SAVED_VIEW_KINDS,
  type SavedViewKind,
  SEARCH_TYPES,
  type SearchType,
} from '../../tenancy/search-sources/index.js';

const MOST_CHARACTERS = 200;
const MOST_ITEMS = 50;
/** Maximum number of results that are counted for each type. */
export const MOST_COUNTED = 50;

export class SearchQuery {
  @UuidField({})
  project_id!: string;

  @TextField({
    min: 1,
    max: MOST_CHARACTERS,
    trim: true,
    description: `Up to ${MOST_WORDS} words, split at blanks; "…" is one word. Each has to stand in one of a thing's fields, in any case; %, _ and \\ stand for themselves`,
    example: 'payment',
  })
  q!: string;

  @ListField(enumOf(SEARCH_TYPES), {
    optional: true,
    min: 1,
    max: 50,
    description: 'May be repeated; left out: every type',
  })
  type?: SearchType[];

  @EnumField(RANGES, {
    optional: true,
    default: '7d',
    description: 'The window that ends now, for events, event types and alert events; all begins in 1970',
  })
  range!: Range;

  @IntField({ min: 1, max: MOST_ITEMS, optional: true, default: 20, description: 'How many a page has at most' })
  limit!: number;
}

export class SearchMatch {
  @TextField({ example: 'name', description: 'Which field it was' })
  field!: string;

  @TextField({ max: MOST_EXCERPT, description: 'Of the field, round the first match' })
  text!: string;
}

export class SearchItem {
  @EnumField(SEARCH_TYPES, { description: 'What was found' })
  type!: SearchType;

  @EnumField(SAVED_VIEW_KINDS, { optional: true, description: 'What a saved view shows; other types have none' })
  kind?: SavedViewKind;

  @TextField({ description: 'An event type has its name' })
  id!: string;

  @TextField({ description: 'What people know it by' })
  title!: string;

  @TextField({ nullable: true, description: 'Tells things of one title apart; null: nothing does' })
  subtitle!: string | null;

  @NestedField(() => SearchMatch, { description: 'Where the words were found' })
  matched!: SearchMatch;

  @NumberField({
    min: 0,
    max: 1,
    example: 0.8,
    description:
      'Of the best field: 1 equal, 0.9 an equal id, 0.8 begins with what is asked, 0.6 a word of it does, 0.4 anywhere; of events half of it',
  })
  score!: number;

  @DateTimeField({ description: 'When it was made or happened; of an event type its newest event in the window' })
  timestamp!: string;
}

const COUNT = { optional: true, min: 0, max: MOST_COUNTED } as const;

/** Counts of the results, for each type up to {@link MOST_COUNTED}. Types that were not requested are missing. */
export class SearchCounts implements Partial<Record<SearchType, number>> {
  @IntField({ ...COUNT, description: 'Events found' })
  event?: number;

  @IntField({ ...COUNT, description: 'Event types found' })
  event_type?: number;

  @IntField({ ...COUNT, description: 'Event Sources found' })
  event_source?: number;

  @IntField({ ...COUNT, description: 'API keys found' })
  api_key?: number;

  @IntField({ ...COUNT, description: 'Alert rules found' })
  alert_rule?: number;

  @IntField({ ...COUNT, description: 'Alert events found' })
  alert_event?: number;

  @IntField({ ...COUNT, description: 'Alert destinations found' })
  alert_destination?: number;

  @IntField({ ...COUNT, description: 'Delivery channels found' })
  delivery_channel?: number;

  @IntField({ ...COUNT, description: 'Saved views found' })
  saved_view?: number;

  @IntField({ ...COUNT, description: 'Objects found' })
  object?: number;

  @IntField({ ...COUNT, description: 'Secrets found' })
  secret?: number;

  @IntField({ ...COUNT, description: 'Findings found' })
  finding?: number;
}

export class SearchAnswer {
  @UuidField({})
  project_id!: string;

  @TextField({ description: 'Without blanks at its ends' })
  q!: string;

  @ListField(nested(() => SearchItem), {
    description:
      'By score, then in the order of the types, then the newest first. At most half of `limit` are events where other things fit',
  })
  items!: SearchItem[];

  @NestedField(() => SearchCounts, {
    description: `Found of each type that was asked for, up to ${MOST_COUNTED}`,
  })
  counts!: SearchCounts;

  @BooleanField({
    description:
      'True: not all events could be looked through in two seconds, and older ones may be missing. Everything else is whole',
  })
  is_partial!: boolean;
}
