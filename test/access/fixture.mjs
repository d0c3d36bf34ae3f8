// What the server offers: something for everybody, and something for few.

export default function offer(server) {
  server.tool('who', { description: 'Says who asks' }, (_, { principal }) => principal?.id ?? 'nobody');
  server.tool('wipe', { description: 'For few', scopes: ['admin'] }, () => 'wiped');
}
