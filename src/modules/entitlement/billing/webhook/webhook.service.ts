import { Injectable, Logger } from '@nestjs/common';
import { Database, type Db } from '../../../../platform/database/database.js';
import { BillingSettings } from '../billing-settings.js';
import { PaymentProvider, type SubscriptionState } from '../provider/payment-provider.js';
import type { PaymentSubscription } from '../subscriptions/payment-subscription.entity.js';
import { SubscriptionHolderFinder } from '../subscriptions/subscription-holder.finder.js';
import { showsPayment, SIGHT_KINDS, type Sight, verdictOn } from '../subscriptions/subscription-rules.js';
import { type LockedHolder, SubscriptionsService } from '../subscriptions/subscriptions.service.js';
import type { Outcome, PaymentEvent } from './payment-event.entity.js';
import { PaymentEventsRepository } from './payment-events.repository.js';
import { dated, type News, type ProviderEvent, readEvent } from './provider-event.js';
import type { WebhookResponse } from './webhook.dto.js';
import { errorMessage } from '../../../../platform/errors/index.js';

/**
 * Processing starts again when another event has changed the subscription meanwhile. After this many attempts, the
 * event fails and the provider sends it again.
 */
const MOST_TRIES = 20;

type AboutSubscription = Exclude<News, { about: 'nothing' }>;

/** The provider's answer, and the subscription that was stored before the query. */
interface Look {
  readonly known: PaymentSubscription | null;
  /** Undefined when no query was needed. Null when the provider has no such subscription. */
  readonly queried: SubscriptionState | null | undefined;
}

/**
 * Processes events of the payment provider. Each event is stored first, and then processed in one transaction that also
 * marks it as done: parallel deliveries of one event wait for its row and find it done. The provider is queried outside
 * the transaction. Its answer counts only if nothing has changed the subscription meanwhile.
 */
@Injectable()
export class WebhookService {
  private readonly logger = new Logger('billing');

  constructor(
    private readonly database: Database,
    private readonly events: PaymentEventsRepository,
    private readonly holders: SubscriptionHolderFinder,
    private readonly subscriptions: SubscriptionsService,
    private readonly provider: PaymentProvider,
    private readonly settings: BillingSettings,
  ) {}

  /** @throws InvalidPayload; any other error is answered with 500, and the provider sends the event again */
  async receive(body: Buffer): Promise<WebhookResponse> {
    const read = readEvent(body, this.settings.prices);
    const event = dated(read, await this.events.keep(read));
    try {
      const outcome = await this.process(event);
      if (outcome === 'duplicate') return { ok: true, duplicate: true };
      return outcome === 'ignored' || outcome === 'unmatched' ? { ok: true, ignored: true } : { ok: true };
    } catch (error) {
      await this.events
        .noteFailure(event.id, errorMessage(error))
        .catch(() => this.logger.warn(`the failure of event ${event.id} could not be noted`));
      // The 502 of a failed query is not passed on: to the provider, this service has failed.
      throw new Error(`event ${event.id} of type ${event.type} was not processed`, { cause: error });
    }
  }

  private async process(event: ProviderEvent): Promise<Outcome | 'duplicate'> {
    const { news } = event;
    if (news.about === 'nothing') return this.once(event, (tx) => this.finish(event, 'ignored', null, tx));
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      if (isDone(await this.events.find(event.id))) return 'duplicate';
      const look = await this.look(event, news);
      const outcome = await this.once(event, (tx) => this.apply(event, news, look, tx));
      if (outcome !== 'again') return outcome;
    }
    throw new Error('the subscription changed all the time');
  }

  /** Runs the work while the event's row is locked, so that only one of many deliveries does the work. */
  private once<T>(event: ProviderEvent, work: (tx: Db) => Promise<T>): Promise<T | 'duplicate'> {
    return this.database.transaction(async (tx) => {
      const stored = await this.events.lock(event.id, tx);
      return isDone(stored) ? 'duplicate' : work(tx);
    });
  }

  private async look(event: ProviderEvent, news: AboutSubscription): Promise<Look> {
    const id = subscriptionIdOf(news);
    const known = await this.subscriptions.find(id);
    const mustAsk = decide(event, news, known) === 'ask';
    return { known, queried: mustAsk ? await this.provider.findSubscription(id, this.provider.begin()) : undefined };
  }

  private async apply(event: ProviderEvent, news: AboutSubscription, look: Look, tx: Db): Promise<Outcome | 'again'> {
    const subscriptionId = subscriptionIdOf(news);
    const given = news.about === 'subscription' ? news.subscription : null;
    const checkout = news.about === 'checkout' ? news.checkout : null;
    const told = given ?? checkout;
    const clues = {
      metadata: [told?.metadata, look.queried?.metadata].filter((metadata) => metadata !== undefined),
      reference: checkout?.reference ?? null,
      subscriptionId,
      customerId: told?.customerId ?? look.queried?.customerId ?? null,
      hasKnownPrice: [given, look.queried].some((state) => this.settings.prices.has(state?.priceId ?? '')),
    };
    const holder = await this.holders.find(clues, tx);
    if (holder === 'moved') return 'again';
    if (holder === null) {
      this.logger.warn(`event ${event.id} is about a subscription of nobody: ${subscriptionId}`);
      return this.finish(event, 'unmatched', null, tx);
    }
    const known = await this.subscriptions.find(subscriptionId, tx);
    if (look.queried !== undefined && known?.revision !== look.known?.revision) return 'again';
    const verdict = decide(event, news, known);
    const isPaid = given !== null && showsPayment(given.status);
    if (verdict === 'outdated') {
      if (known !== null && !known.wasPaid && isPaid) {
        await this.subscriptions.notePayment(holder, known, tx);
      }
      return this.finish(event, 'outdated', holder, tx);
    }
    if (verdict === 'ask' && look.queried === undefined) return 'again';
    const queried = verdict === 'ask' ? (look.queried ?? null) : null;
    if (verdict === 'ask' && queried === null) {
      this.logger.warn(`event ${event.id} is about a subscription that the provider has not: ${subscriptionId}`);
      if (!this.isOfOurMode(event)) return this.finish(event, 'unmatched', holder, tx);
    }
    const { state, sight } = seen(event, news, queried, known);
    const plan =
      sight === known
        ? (known.plan ?? this.subscriptions.planOf({ ...state, priceId: null }))
        : this.subscriptions.planOf(state);
    await this.subscriptions.store(holder, { state, sight: newer(sight, known), plan, isPaid }, tx);
    return this.finish(event, 'applied', holder, tx);
  }

  /**
   * Returns whether the event is of the same mode as the key. If the key is for real payments, test payments pay for
   * nothing.
   */
  private isOfOurMode({ liveMode }: ProviderEvent): boolean {
    const isLive = this.settings.isLive();
    return isLive === null || isLive === liveMode;
  }

  private async finish(event: ProviderEvent, outcome: Outcome, holder: LockedHolder | null, tx: Db): Promise<Outcome> {
    await this.events.finish(event.id, outcome, holder, tx);
    return outcome;
  }
}

/**
 * Returns whether the event has been processed. An event that was deleted with its account meanwhile is not done: its
 * processing will find no holder.
 */
function isDone(stored: PaymentEvent | null): boolean {
  return stored !== null && stored.outcome !== null;
}

function subscriptionIdOf(news: AboutSubscription): string {
  return news.about === 'subscription' ? news.subscription.id : news.subscriptionId;
}

function sightOf({ createdAt }: ProviderEvent, news: AboutSubscription): Sight {
  return { seenAt: createdAt, seenKind: news.about === 'subscription' ? news.kind : SIGHT_KINDS.changed };
}

/** A time before every event of a subscription. */
const BEFORE_ALL: Sight = { seenAt: new Date(0), seenKind: SIGHT_KINDS.begun };

/**
 * Returns the state that an event shows: the provider's answer if there is one, else the event's own content. A
 * completed checkout says less than the events of the subscription, even when it arrives after them. So it only fills
 * in the values that these events leave open.
 */
function seen(
  event: ProviderEvent,
  news: AboutSubscription,
  queried: SubscriptionState | null,
  known: PaymentSubscription | null,
): { state: SubscriptionState; sight: Sight } {
  if (queried !== null) return { state: queried, sight: sightOf(event, news) };
  if (news.about === 'subscription') return { state: news.subscription, sight: sightOf(event, news) };
  const { customerId, metadata, isUnpaid } = news.checkout;
  if (known !== null) {
    return { state: { ...known, customerId: known.customerId ?? customerId, metadata }, sight: known };
  }
  return {
    state: {
      id: news.subscriptionId,
      customerId,
      status: isUnpaid ? 'incomplete' : 'active',
      priceId: null,
      startedAt: event.createdAt,
      metadata,
    },
    sight: BEFORE_ALL,
  };
}

/**
 * A completed checkout says little about the state of its subscription, so the provider is queried, unless the checkout
 * is late.
 */
function decide(
  event: ProviderEvent,
  news: AboutSubscription,
  known: PaymentSubscription | null,
): ReturnType<typeof verdictOn> {
  if (news.about === 'subscription') return verdictOn(sightOf(event, news), known);
  return known !== null && known.seenAt > event.createdAt ? 'outdated' : 'ask';
}

/**
 * Returns the observation to store. The provider's answer is as new as any known event. But within one second, it does
 * not replace an observation of a later kind.
 */
function newer(sight: Sight, known: Sight | null): Sight {
  return known !== null && known.seenAt.getTime() === sight.seenAt.getTime() && known.seenKind > sight.seenKind
    ? known
    : sight;
}
