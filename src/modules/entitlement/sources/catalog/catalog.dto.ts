import { EnumField, ListField, nested, TextField } from '../../../../platform/http/validation/index.js';
import { SOURCE_TYPES, type SourceType } from '../event-source.entity.js';
import { CATALOG, SNIPPET_LANGUAGES, type SnippetLanguage, SNIPPETS } from './source-catalog.js';

export class SnippetResponse {
  @EnumField(SNIPPET_LANGUAGES, { description: 'What it is written in' })
  language!: SnippetLanguage;

  @TextField({ description: 'Says what it shows' })
  title!: string;

  @TextField({ description: 'Reads the address and the key from SERVICE_URL and API_KEY, or has {PLACES} for them' })
  code!: string;
}

export class CatalogEntryResponse {
  @EnumField(SOURCE_TYPES, { description: 'The kind of Event Source it is for' })
  type!: SourceType;

  @TextField({ description: 'Of the kind of source, for people' })
  name!: string;

  @TextField({ description: 'What it is for, in words' })
  description!: string;

  @ListField(nested(() => SnippetResponse), { description: 'How to send to it, in several languages' })
  snippets!: SnippetResponse[];
}

export function catalogResponse(): CatalogEntryResponse[] {
  return CATALOG.map(({ type, name, description, languages }) => ({
    type,
    name,
    description,
    snippets: languages.map((language) => ({ language, ...SNIPPETS[language] })),
  }));
}
