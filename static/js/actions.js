// Actions that are not saved yet, in this browser's IndexedDB: they outlive the tab and restarts of the phone.
// After a try, an action may have `refused` ({ status, says }), or `done`, the address of its result, and `says`,
// the result in words. For each game there is `seen`, the number of the newest entry that a page has shown, and
// `moved`: [from, to, wasQueued] for each action of this phone, saved after entry `from` as entry `to`, and by
// itself, not from the open page, if `wasQueued`.
const PATIENCE = 5000; // how many ms to wait for the database to open, and for a transaction
let shown; // after this page was left, a promise that resolves when it is shown again
const begun = new Set(); // the transactions that go on

const result = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

function openDatabase() {
  const request = indexedDB.open("companion", 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore("acts", { keyPath: "id", autoIncrement: true });
    request.result.createObjectStore("games");
  };
  return Promise.race([result(request), new Promise((_, reject) => setTimeout(reject, PATIENCE))]);
}

// Runs `work` with both stores in one transaction. Resolves to its result once everything is written.
async function run(mode, work) {
  const database = await openDatabase(); // each time: a browser may close one that stays open
  await shown;
  const transaction = database.transaction(["acts", "games"], mode, { durability: "strict" });
  begun.add(transaction);
  return new Promise((resolve, reject) => {
    const answer = work(transaction.objectStore("acts"), transaction.objectStore("games"));
    answer.catch((error) => {
      reject(error);
      stop(transaction); // all of it or nothing
    });
    transaction.oncomplete = () => resolve(answer);
    transaction.onabort = () => reject(transaction.error);
    setTimeout(() => reject(stop(transaction)), PATIENCE);
  }).finally(() => {
    begun.delete(transaction);
    database.close();
  });
}

const stop = (transaction) => {
  try {
    transaction.abort();
  } catch {} // it has ended
};

// Safari's engine freezes a page that was left, with its transactions: no page could begin another one
// until that page came back. So they are stopped, and none begins before the page is shown again.
addEventListener("pagehide", () => {
  begun.forEach(stop);
  shown = new Promise((resolve) => addEventListener("pageshow", resolve));
});

// True if `action` was refused, or has to wait for an earlier action of its game that was refused.
export const isHeld = (action, list) => list.some((one) => one.refused && one.game === action.game && one.id <= action.id);

export const all = () => run("readonly", (actions) => result(actions.getAll()));
// Those of a game that wait to be saved, the oldest first; none if they cannot be read.
export const waitingIn = async (game) => (await all().catch(() => [])).filter((one) => one.game === game && !one.done && !one.refused);
export const drop = (id) => run("readwrite", (actions) => result(actions.delete(id)));

// Stores an action, unless it was discarded meanwhile, or saved by another tab.
async function putIfThere(actions, action) {
  if (await result(actions.get(action.id))) actions.put(action);
}
export const change = (action) => run("readwrite", (actions) => putIfThere(actions, action));

// Marks actions to be tried again that were refused for another reason than their content: the phone had
// another notebook, or something was wrong with the server. The marker settles all other refusals.
export function retry() {
  return run("readwrite", async (actions) => {
    for (const action of await result(actions.getAll())) {
      if (action.refused && !/200|409|422/.test(action.refused.status)) actions.put({ ...action, refused: null });
    }
  });
}

const handOf = ({ fields }) => Number(new URLSearchParams(fields).get("hand"));
export const isEnd = ({ url }) => /\/end(\?|$)/.test(url);
const newKey = () => crypto.getRandomValues(new Uint32Array(3)).join("-");
const known = async (games, game) => (await result(games.get(game))) ?? { seen: 0, moved: [] };

// Keeps an action and returns its id. With `how`, it gets the base that `baseNow` returns. It keeps the
// form's key, unless this phone has made another action on that base, or the page is an old copy: two
// actions made on one base are two.
export function enter(action, how) {
  return run("readwrite", async (actions, games) => {
    const game = await known(games, action.game);
    const waiting = await result(actions.getAll());
    const wasSaved = game.moved.some(([from]) => from === action.base);
    if (wasSaved || how?.isCopy || waiting.some(({ key }) => key === action.key)) action.key = newKey();
    if (how) action.base = baseNow(game, action.base, how);
    const id = action.id ?? idBefore(waiting, action);
    return result(actions.put(id ? { ...action, id } : action));
  });
}

// The end of a hand is sent before what waits for later hands: returns an id between theirs and those
// before. A second end of a hand will be refused: it comes last, and keeps nothing waiting.
function idBefore(waiting, action) {
  const isTwice = waiting.some((one) => one.game === action.game && isEnd(one) && handOf(one) === handOf(action));
  const later = waiting.findIndex((one) => one.game === action.game && handOf(one) > handOf(action));
  if (!isEnd(action) || isTwice || later < 0) return undefined;
  return ((waiting[later - 1]?.id ?? 0) + waiting[later].id) / 2;
}

// Notes that the server has saved an action as entry `entry`, after entry `after`. Later actions of the game
// that were also made after `after` are now based on `entry`; the server finds what others wrote meanwhile.
export function saved(action, { entry, after }, wasQueued) {
  return run("readwrite", async (actions, games) => {
    if (action.done) await putIfThere(actions, action);
    else actions.delete(action.id);
    // It wrote no entry, or the entry was there already, as of a game that was begun before.
    if (!(entry > action.base)) return;
    for (const other of await result(actions.getAll())) {
      if (other.game === action.game && other.id > action.id && other.base === after) actions.put({ ...other, base: entry });
    }
    const { seen, moved } = await known(games, action.game);
    const last = [...moved, [after, entry, wasQueued]].slice(-100);
    games.put({ seen: Math.max(seen, entry), moved: last }, action.game);
  });
}

// Notes that a page shows entry `number`. Returns the newest entry that this phone knows of.
export function seen(game, number) {
  return run("readwrite", async (_, games) => {
    const { seen, moved } = await known(games, game);
    if (number > seen) games.put({ seen: number, moved }, game);
    return Math.max(number, seen);
  });
}

// The entry that a form is based on now. Entries that this phone sent by itself while the page was open, or
// saved since the page was copied, count as seen; for a page of an upcoming hand, whatever any page has shown.
function baseNow({ seen, moved }, base, { isCopy, isUpcoming }) {
  let now = isUpcoming ? Math.max(base, seen) : base;
  for (const [from, to, wasQueued] of moved) {
    if (from === now && (wasQueued || isCopy)) now = to;
  }
  return now;
}
