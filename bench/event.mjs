// The event that every bench of ingestion sends, about 620 bytes.
export const EVENT = {
  event_type: 'http.request',
  source: 'web',
  severity: 'info',
  environment: 'production',
  message: 'GET /products/1234 HTTP/1.1',
  payload: {
    method: 'GET',
    path: '/products/1234',
    status_code: 200,
    latency_ms: 41,
    country: 'DE',
    session: '0192f0c1-7a3e-7cc2-9d53-0d6c1f1a2b3c',
    referrer: 'https://shop.example.com/catalogue/shoes?page=3&sort=price',
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    tags: ['checkout', 'experiment-b', 'returning-customer'],
    amounts: { subtotal: 129.9, shipping: 4.95, tax: 24.68, currency: 'EUR' },
  },
};

export const EVENT_BODY = JSON.stringify(EVENT);
