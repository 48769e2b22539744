import { Foundation1795186000000 } from './1795186000000-foundation.js';
import { RecordsOfActs1795186100000 } from './1795186100000-records-of-acts.js';
import { AccountCare1795187000000 } from './1795187000000-account-care.js';
import { SecondFactors1795188000000 } from './1795188000000-second-factors.js';
import { SignInProviders1795189000000 } from './1795189000000-sign-in-providers.js';
import { Invitations1795190000000 } from './1795190000000-invitations.js';
import { ProjectLifecycle1795191000000 } from './1795191000000-project-lifecycle.js';
import { VerificationCandidates1795192000000 } from './1795192000000-verification-candidates.js';
import { EventCounters1795200000000 } from './1795200000000-event-counters.js';
import { IngestEvents1795201000000 } from './1795201000000-ingest-events.js';
import { KeysOfSources1795202000000 } from './1795202000000-keys-of-sources.js';
import { EventTotals1795203000000 } from './1795203000000-event-totals.js';
import { Billing1795207000000 } from './1795207000000-billing.js';
import { PaymentUpkeep1795207100000 } from './1795207100000-payment-upkeep.js';
import { Delivery1795208000000 } from './1795208000000-delivery.js';
import { AlertDestinations1795210000000 } from './1795210000000-alert-destinations.js';
import { AlertEvents1795211000000 } from './1795211000000-alert-events.js';
import { AlertRules1795212000000 } from './1795212000000-alert-rules.js';
import { SizesOfEvents1795220000000 } from './1795220000000-sizes-of-events.js';
import { RuleFailures1795221000000 } from './1795221000000-rule-failures.js';
import { MatchingInTurns1795222000000 } from './1795222000000-matching-in-turns.js';
import { ProofsOfChanges1795223000000 } from './1795223000000-proofs-of-changes.js';
import { VoidRegistrations1795223100000 } from './1795223100000-void-registrations.js';
import { PendingLinks1795223200000 } from './1795223200000-pending-links.js';
import { AddressKeys1795223300000 } from './1795223300000-address-keys.js';
import { BackgroundLanes1795224000000 } from './1795224000000-background-lanes.js';
import { ComposedAddressKeys1795227000000 } from './1795227000000-composed-address-keys.js';
import { CeremoniesOfSessions1795227100000 } from './1795227100000-ceremonies-of-sessions.js';
import { IngestedEvents1795227400000 } from './1795227400000-ingested-events.js';
import { KeysOfSealedValues1795300000000 } from './1795300000000-keys-of-sealed-values.js';
import { ProjectSecrets1795300100000 } from './1795300100000-project-secrets.js';
import { SecretsOfHeaders1795300200000 } from './1795300200000-secrets-of-headers.js';
import { ObjectStorage1795400000000 } from './1795400000000-object-storage.js';
import { HourRollups1795500000000 } from './1795500000000-hour-rollups.js';
import { SearchOfObjects1795700000000 } from './1795700000000-search-of-objects.js';
import { NamesOfRollups1795710000000 } from './1795710000000-names-of-rollups.js';
import { Sentinel1795800000000 } from './1795800000000-sentinel.js';
import { AnomalyRules1795800100000 } from './1795800100000-anomaly-rules.js';
import { LessonsOfSentinel1796000000000 } from './1796000000000-lessons-of-sentinel.js';
import { PlainEvents1799000000000 } from './1799000000000-plain-events.js';
import { EventShipping1800000000000 } from './1800000000000-event-shipping.js';
import { CountedBatches1800000100000 } from './1800000100000-counted-batches.js';
import { PointsOfFindings1801600000000 } from './1801600000000-points-of-findings.js';
import { MovedEvents1801700000000 } from './1801700000000-moved-events.js';
import { EventRetention1801800000000 } from './1801800000000-event-retention.js';
import { HotEvents1801900000000 } from './1801900000000-hot-events.js';
import { LastCopiedEvent1802000000000 } from './1802000000000-last-copied-event.js';
import { RefreshSecrets1802300000000 } from './1802300000000-refresh-secrets.js';
import { VerifiedPasskeys1802310000000 } from './1802310000000-verified-passkeys.js';
import { PaidSubscriptions1802400000000 } from './1802400000000-paid-subscriptions.js';
import { KeysOfDomains1802410000000 } from './1802410000000-keys-of-domains.js';
import { DeletedOrganizations1802415000000 } from './1802415000000-deleted-organizations.js';
import { OrderedNotices1802500000000 } from './1802500000000-ordered-notices.js';
import { OrderOfAlertDeliveries1802500100000 } from './1802500100000-order-of-alert-deliveries.js';
import { OrderOfDeliveryAttempts1802500200000 } from './1802500200000-order-of-delivery-attempts.js';
import { NewestOccurrences1802501000000 } from './1802501000000-newest-occurrences.js';
import { VersionsOfHeaders1802502000000 } from './1802502000000-versions-of-headers.js';
import { SlugsWithoutCase1802700000000 } from './1802700000000-slugs-without-case.js';
import { UniqueEvents1802800000000 } from './1802800000000-unique-events.js';
import { SourceHooks1802830000000 } from './1802830000000-source-hooks.js';
import { DuplicatesOfQueuedRequests1802840000000 } from './1802840000000-duplicates-of-queued-requests.js';
import { EventTraces1802850000000 } from './1802850000000-event-traces.js';
import { DisabledAccounts1802910000000 } from './1802910000000-disabled-accounts.js';
import { AuditEventsByTime1802910100000 } from './1802910100000-audit-events-by-time.js';
import { SignedChannels1803000000000 } from './1803000000000-signed-channels.js';
import { TemplatesOfDestinations1803000100000 } from './1803000100000-templates-of-destinations.js';
import { MessagesOfEvents1803000200000 } from './1803000200000-messages-of-events.js';
import { AuditPositions1803100000000 } from './1803100000000-audit-positions.js';
import { PositionsOfOldAuditEvents1803100100000 } from './1803100100000-positions-of-old-audit-events.js';
import { QuotaNotices1803100200000 } from './1803100200000-quota-notices.js';
import { SentRequests1803200000000 } from './1803200000000-sent-requests.js';
import { KindsOfViews1803300000000 } from './1803300000000-kinds-of-views.js';
import { AnnotationEvents1803300100000 } from './1803300100000-annotation-events.js';
import { RunbooksOfRules1803400000000 } from './1803400000000-runbooks-of-rules.js';
import { CompanySignIn1803500000000 } from './1803500000000-company-sign-in.js';
import { DetailsOfScimUsers1803500300000 } from './1803500300000-details-of-scim-users.js';
import { IdTokensOfSessions1803500400000 } from './1803500400000-id-tokens-of-sessions.js';
import { DeliveriesOfDestinations1803600000000 } from './1803600000000-deliveries-of-destinations.js';

/** Every migration in order; a test checks that each file of this folder is listed. */
export const MIGRATIONS = [
  Foundation1795186000000,
  RecordsOfActs1795186100000,
  AccountCare1795187000000,
  SecondFactors1795188000000,
  SignInProviders1795189000000,
  Invitations1795190000000,
  ProjectLifecycle1795191000000,
  VerificationCandidates1795192000000,
  EventCounters1795200000000,
  IngestEvents1795201000000,
  KeysOfSources1795202000000,
  EventTotals1795203000000,
  Billing1795207000000,
  PaymentUpkeep1795207100000,
  Delivery1795208000000,
  AlertDestinations1795210000000,
  AlertEvents1795211000000,
  AlertRules1795212000000,
  SizesOfEvents1795220000000,
  RuleFailures1795221000000,
  MatchingInTurns1795222000000,
  ProofsOfChanges1795223000000,
  VoidRegistrations1795223100000,
  PendingLinks1795223200000,
  AddressKeys1795223300000,
  BackgroundLanes1795224000000,
  ComposedAddressKeys1795227000000,
  CeremoniesOfSessions1795227100000,
  IngestedEvents1795227400000,
  KeysOfSealedValues1795300000000,
  ProjectSecrets1795300100000,
  SecretsOfHeaders1795300200000,
  ObjectStorage1795400000000,
  HourRollups1795500000000,
  SearchOfObjects1795700000000,
  NamesOfRollups1795710000000,
  Sentinel1795800000000,
  AnomalyRules1795800100000,
  LessonsOfSentinel1796000000000,
  PlainEvents1799000000000,
  EventShipping1800000000000,
  CountedBatches1800000100000,
  PointsOfFindings1801600000000,
  MovedEvents1801700000000,
  EventRetention1801800000000,
  HotEvents1801900000000,
  LastCopiedEvent1802000000000,
  RefreshSecrets1802300000000,
  VerifiedPasskeys1802310000000,
  PaidSubscriptions1802400000000,
  KeysOfDomains1802410000000,
  DeletedOrganizations1802415000000,
  OrderedNotices1802500000000,
  OrderOfAlertDeliveries1802500100000,
  OrderOfDeliveryAttempts1802500200000,
  NewestOccurrences1802501000000,
  VersionsOfHeaders1802502000000,
  SlugsWithoutCase1802700000000,
  UniqueEvents1802800000000,
  SourceHooks1802830000000,
  DuplicatesOfQueuedRequests1802840000000,
  EventTraces1802850000000,
  DisabledAccounts1802910000000,
  AuditEventsByTime1802910100000,
  SignedChannels1803000000000,
  TemplatesOfDestinations1803000100000,
  MessagesOfEvents1803000200000,
  AuditPositions1803100000000,
  PositionsOfOldAuditEvents1803100100000,
  QuotaNotices1803100200000,
  SentRequests1803200000000,
  KindsOfViews1803300000000,
  AnnotationEvents1803300100000,
  RunbooksOfRules1803400000000,
  CompanySignIn1803500000000,
  DetailsOfScimUsers1803500300000,
  IdTokensOfSessions1803500400000,
  DeliveriesOfDestinations1803600000000,
] as const;
