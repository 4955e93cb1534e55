/** A client of the shop, for a browser or Node.js: what its pages need, over `fetch` alone. */

export interface Product {
  readonly id: string;
  readonly title: string;
  /** Decimals are texts, so that they stay exact. */
  readonly price: string;
  readonly stock: number;
}

export interface Order {
  readonly id: string;
  readonly number: number;
  readonly state: 'cart' | 'placed' | 'paid' | 'shipped' | 'cancelled';
  readonly address: string | null;
  readonly total: string | null;
}

export interface Line {
  readonly id: string;
  readonly quantity: number;
  readonly 'product.title': string;
  readonly 'product.price': string;
}

interface Page<T> {
  readonly count: number;
  readonly items: readonly T[];
}

/** A refusal: `code` is that of its first message. */
export class ShopError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    text: string,
  ) {
    super(text);
  }
}

export class Shop {
  constructor(
    /** `https://…/api/lib` */
    private readonly url: string,
    private readonly project: string,
    private token = '',
  ) {}

  async signUp(username: string, email: string, password: string): Promise<void> {
    const body = { username, password, kind_system_user: { username, password, email } };
    this.token = (await this.#send<{ access_token: string }>('POST', '/auth/buyer/signup', body)).access_token;
  }

  /** Needs no token. */
  products(words = ''): Promise<Page<Product>> {
    const search = words && `&search=${encodeURIComponent(words)}`;
    return this.#send('GET', `/product/unit?filter=gt(stock,0)&order=title;asc${search}`);
  }

  newOrder(): Promise<Order> {
    return this.#send('POST', '/order/unit', {});
  }

  /** Puts so many of a product into the cart, in place of what was there of it. */
  async put(order: Order, product: Product, quantity: number): Promise<void> {
    const path = '/line/unit?on_conflict=update&by=order,product';
    await this.#send('POST', path, { order: order.id, product: product.id, quantity });
  }

  lines(order: Order): Promise<Page<Line>> {
    const include = 'include=id,quantity,product.title,product.price';
    return this.#send('GET', `/line/unit?filter=eq(order,${order.id})&${include}`);
  }

  place(order: Order, address: string): Promise<Order> {
    return this.#send('PUT', `/order/unit/${order.id}`, { state: 'placed', address });
  }

  cancel(order: Order): Promise<Order> {
    return this.#send('PUT', `/order/unit/${order.id}`, { state: 'cancelled' });
  }

  orders(): Promise<Page<Order>> {
    return this.#send('GET', '/order/unit?filter=ne(state,cart)&order=number;desc');
  }

  /** Of administrators. */
  ship(order: Order): Promise<Order> {
    return this.#send('PUT', `/order/unit/${order.id}`, { state: 'shipped' });
  }

  /** Of administrators: what was paid in each month. */
  async revenue(): Promise<Page<{ month: string; orders: number; revenue: string }>> {
    const select = 'select=[orders:count(),revenue:sum(total)]';
    return this.#send('GET', `/order/aggregate?group=month:month(paid_at)&${select}&filter=in(state,paid,shipped)`);
  }

  /** Of administrators: what sells best. */
  bestsellers(): Promise<Page<{ product: string; sold: number; revenue: string }>> {
    const select = 'select=[sold:sum(quantity),revenue:sum(mul(quantity,paid_price))]';
    const paid = 'filter=in(order.state,paid,shipped)';
    return this.#send('GET', `/line/aggregate?group=product&${select}&${paid}&order=revenue;desc&limit=10`);
  }

  async #send<T>(method: string, path: string, body?: object): Promise<T> {
    const headers = {
      'kind-project-key': this.project,
      ...(this.token && { authorization: `Bearer ${this.token}` }),
      ...(body && { 'content-type': 'application/json' }),
    };
    const sent = body ? { body: JSON.stringify(body) } : {};
    const response = await fetch(this.url + path, { method, headers, ...sent });
    const { content, messages } = (await response.json()) as { content: T; messages: { code: string; text: string }[] };
    if (response.ok) return content;
    throw new ShopError(response.status, messages[0]?.code ?? '', messages.map(({ text }) => text).join('; '));
  }
}
