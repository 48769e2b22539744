import type { Examples } from './example.js';

/** Recorded: made by `scripts/choose-examples.mjs`. */
export const EXAMPLES: Examples = {
  createAccountCheckoutSession: {
    request: {
      type: 'application/json',
      value: {
        plan: 'pro',
        success_url: 'https://app.example.com/in?s={CHECKOUT_SESSION_ID}',
        cancel_url: 'https://api.acme.example/out',
        currency: 'eur',
      },
    },
    answer: {
      type: 'application/json',
      value: {
        plan: 'pro',
        checkout_session_id: 'cs_test_EXAMPLE',
        checkout_url: 'https://checkout.example.com/EXAMPLE',
      },
    },
  },
  syncAccountCheckoutSession: {
    request: { type: 'application/json', value: { checkout_session_id: 'cs_test_EXAMPLE' } },
    answer: {
      type: 'application/json',
      value: {
        plan: 'scale',
        checkout_session_id: 'cs_test_EXAMPLE',
        ready_for_workspace: true,
        stripe_customer_id: 'cus_EXAMPLE',
        stripe_subscription_id: 'sub_EXAMPLE',
        stripe_subscription_status: 'active',
      },
    },
  },
  createCheckoutSession: {
    request: {
      type: 'application/json',
      value: { organization_id: '019cadc6-9a80-7af3-8000-000000000001', plan: 'scale', currency: 'usd' },
    },
    answer: {
      type: 'application/json',
      value: {
        organization_id: '019cadc6-9a80-7af3-8000-000000000001',
        plan: 'scale',
        checkout_session_id: 'cs_test_EXAMPLE',
        checkout_url: 'https://checkout.example.com/EXAMPLE',
      },
    },
  },
  updateOrganizationBilling: {
    parameters: { organization_id: '019cadc6-9a80-7af3-8000-000000000001' },
    request: {
      type: 'application/json',
      value: { plan: 'pro', billing_status: 'active', events_per_month_limit: 500000 },
    },
    answer: {
      type: 'application/json',
      value: {
        organization_id: '019cadc6-9a80-7af3-8000-000000000001',
        plan: 'pro',
        billing_status: 'active',
        events_per_month_limit: 500000,
      },
    },
  },
  createPortalSession: {
    request: {
      type: 'application/json',
      value: {
        organization_id: '019cadc6-9a80-7af3-8000-000000000001',
        return_url: 'https://app.acme.example/billing',
      },
    },
    answer: { type: 'application/json', value: { url: 'https://portal.example.com/cus_EXAMPLE' } },
  },
  getBillingStatus: {
    parameters: { organization_id: '019cadc6-9a80-7af3-8000-000000000001' },
    answer: {
      type: 'application/json',
      value: {
        organization_id: '019cadc6-9a80-7af3-8000-000000000001',
        plan: 'pro',
        billing_status: 'active',
        month: '2026-03',
        from_day: '2026-03-01',
        to_day: '2026-04-01',
        reset_day: '2026-04-01',
        events_used: 401,
        events_limit: 500000,
        events_remaining: 499599,
        is_near_limit: false,
        upgrade_url: 'https://app.acme.example/upgrade',
        is_blocked: false,
        block_reason: null,
        recommended_action: 'none',
      },
    },
  },
  receiveStripeWebhook: {
    request: {
      type: 'application/json',
      value: {
        id: 'evt_EXAMPLE',
        object: 'event',
        type: 'customer.subscription.created',
        created: 1772412456,
        livemode: false,
        data: {
          object: {
            id: 'sub_EXAMPLE',
            object: 'subscription',
            customer: 'cus_EXAMPLE',
            status: 'trialing',
            created: 1772412420,
            metadata: { billing_scope: 'organization', organization_id: '019cadc6-9a80-7af3-8000-000000000001' },
            items: {
              object: 'list',
              data: [
                { id: 'si_EXAMPLE', current_period_end: 1775004420, price: { id: 'price_EXAMPLE', object: 'price' } },
              ],
            },
          },
        },
      },
    },
    answer: { type: 'application/json', value: { ok: true } },
  },
};
