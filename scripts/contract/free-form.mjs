// Clients get no types for the members of a free-form object, so each of these objects needs a reason.
import { operationsOf } from './operations.mjs';

const FILE = 'scripts/contract/free-form.mjs';

const OF_SENDERS = 'senders of events choose the members';
const OF_WEBAUTHN = 'WebAuthn defines the members, which browsers read and write';
const OF_RECORDS = 'each of sixty kinds of record has members of its own';
const OF_GROUPS = 'the rule itself names the members';
const OF_CONSOLE = 'the console keeps its own state here; the service only checks the form of a dashboard';
const BY_CALLERS_NAMES = 'callers choose the names; the values are typed, as texts or numbers';

/** The objects whose members no schema names, each with the reason. */
const FREE_FORM = {
  'schemas/BodyTemplate/parameters': 'each preset has parameters of its own',
  'operations/receiveStripeWebhook': 'the payment provider defines the event',
  'schemas/AlertEventResponse/payload': OF_SENDERS,
  'schemas/AlertEventResponse/group_values': OF_GROUPS,
  'schemas/AuditEventResponse/detail': OF_RECORDS,
  'schemas/BacktestFiring/group': OF_GROUPS,
  'schemas/BacktestFiring/values': OF_SENDERS,
  'schemas/BeginUploadRequest/metadata': BY_CALLERS_NAMES,
  'schemas/CeremonyResponse/options': OF_WEBAUTHN,
  'schemas/ChangeObjectRequest/metadata': BY_CALLERS_NAMES,
  'schemas/ChangeSavedViewRequest/filters': OF_CONSOLE,
  'schemas/CreateSavedViewRequest/filters': OF_CONSOLE,
  'schemas/EventRecord/properties': OF_SENDERS,
  'schemas/IngestRequest/payload': OF_SENDERS,
  'schemas/IngestRequest/properties': OF_SENDERS,
  'schemas/IngestResponse/properties': OF_SENDERS,
  'schemas/LanguageResponse/limits': BY_CALLERS_NAMES,
  'schemas/LogRow/request_body': OF_SENDERS,
  'schemas/LogRow/response_body': OF_SENDERS,
  'schemas/OAuthLoginRequest/raw_user/anyOf/0/anyOf/0':
    'Apple defines the members, of which the service reads the name only',
  'schemas/ObjectResponse/metadata': BY_CALLERS_NAMES,
  'schemas/Outdated': 'the condition has an older form; clients check the form before they read a condition',
  'schemas/RaiseAlertRequest/payload': OF_SENDERS,
  'schemas/SavedViewResponse/filters': OF_CONSOLE,
  'schemas/SecurityEventResponse/detail': OF_RECORDS,
  'schemas/TimelineEntryResponse/detail': OF_RECORDS,
  'schemas/UploadResponse/metadata': BY_CALLERS_NAMES,
  'schemas/ValidationContext/error/oneOf/1': 'the object is empty; `msg` has the sentence',
  'schemas/WebhookConfiguration/headers': BY_CALLERS_NAMES,
};

/** @returns {string[]} a sentence for each fault, which begins with the file to edit */
export function faultsOfFreeForm(document) {
  const found = freeFormOf(document);
  return [
    ...found
      .filter((place) => !(place in FREE_FORM))
      .map((place) => `${FILE}: give \`${place}\` a reason to be free-form, or give its members a schema in its DTO.`),
    ...Object.keys(FREE_FORM)
      .filter((place) => !found.includes(place))
      .map((place) => `${FILE}: remove \`${place}\`. The document has no such free-form object.`),
  ];
}

function freeFormOf(document) {
  const shared = freeFormBelow(document.components.schemas, 'schemas');
  const own = operationsOf(document).filter(({ operation }) => freeFormBelow(operation, '').length > 0);
  return [...shared, ...own.map(({ operation }) => `operations/${operation.operationId}`)];
}

function freeFormBelow(part, place) {
  if (part === null || typeof part !== 'object') return [];
  const { type, properties, allOf, oneOf, anyOf } = part;
  const isFreeForm =
    [type].flat().includes('object') && [properties, allOf, oneOf, anyOf].every((given) => given === undefined);
  const below = Object.entries(part).filter(([key]) => !/^examples?$/.test(key));
  return [
    ...(isFreeForm ? [place.replace(/^(schemas\/\w+)\/properties\//, '$1/')] : []),
    ...below.flatMap(([key, value]) => freeFormBelow(value, `${place}/${key}`)),
  ];
}
