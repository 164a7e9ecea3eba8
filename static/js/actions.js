// Actions that are not saved yet, in this browser's IndexedDB: tab, browser and phone may go off
// meanwhile. Once one was tried it has `refused` ({ status, says }) or `done` (the address of what came
// of it) and `says` (what that says). Of each game is kept `seen`, the newest entry that a page has
// shown, and `moved`, which entry this phone's own actions led to from which ([from, to, wasQueued]).
const PATIENCE = 5000; // to open the database, and for one transaction, in ms
let shown; // once this page was left: a promise that it is shown again
const begun = new Set(); // transactions

const result = (request) =>
  new Promise((yes, no) => {
    request.onsuccess = () => yes(request.result);
    request.onerror = () => no(request.error);
  });

function openDatabase() {
  const asked = indexedDB.open("companion", 1);
  asked.onupgradeneeded = () => {
    asked.result.createObjectStore("acts", { keyPath: "id", autoIncrement: true });
    asked.result.createObjectStore("games");
  };
  return Promise.race([result(asked), new Promise((_, no) => setTimeout(no, PATIENCE))]);
}

// One transaction: `work` gets both stores. What it answers counts once all of it is written.
async function run(mode, work) {
  const database = await openDatabase(); // opened for each: a browser may close one that stays open
  await shown;
  const at = database.transaction(["acts", "games"], mode, { durability: "strict" });
  begun.add(at);
  return new Promise((yes, no) => {
    const answer = work(at.objectStore("acts"), at.objectStore("games"));
    answer.catch((error) => {
      no(error);
      stop(at); // all of it or nothing
    });
    at.oncomplete = () => yes(answer);
    at.onabort = () => no(at.error);
    setTimeout(() => no(stop(at)), PATIENCE);
  }).finally(() => {
    begun.delete(at);
    database.close();
  });
}

const stop = (at) => {
  try {
    at.abort();
  } catch {} // it is done
};

// Safari's engine keeps a page that was left, and with it what it had begun here: nothing else could
// begin in any page until that one came back. None begins before it does.
addEventListener("pagehide", () => {
  begun.forEach(stop);
  shown = new Promise((yes) => addEventListener("pageshow", yes));
});

// True if `action` was refused, or has to wait for an earlier one of its game that was.
export const isHeld = (action, list) => list.some((one) => one.refused && one.game === action.game && one.id <= action.id);

export const all = () => run("readonly", (actions) => result(actions.getAll()));
export const drop = (id) => run("readwrite", (actions) => result(actions.delete(id)));

// Unless it was discarded meanwhile, or saved by another tab.
async function putIfThere(actions, action) {
  if (await result(actions.get(action.id))) actions.put(action);
}
export const change = (action) => run("readwrite", (actions) => putIfThere(actions, action));

// What was refused for no fault of its own is to be tried again: another notebook may have been open,
// or something was wrong with the server. The marker settles the rest.
export function retry() {
  return run("readwrite", async (actions) => {
    for (const action of await result(actions.getAll())) {
      if (action.refused && !/200|409|422/.test(action.refused.status)) actions.put({ ...action, refused: null });
    }
  });
}

const newKey = () => crypto.getRandomValues(new Uint32Array(3)).join("-");
const known = async (games, game) => (await result(games.get(game))) ?? { seen: 0, moved: [] };

// Keep what was entered on a page, on the entry that it stands on now. Answers its id. `how` is for
// `standing`, if it is asked. Its key is the form's, unless this phone has made another action on that
// base, or the page is an old copy: two actions made on one base are two.
export function enter(action, how) {
  return run("readwrite", async (actions, games) => {
    const game = await known(games, action.game);
    const waiting = await result(actions.getAll());
    const wasSaved = game.moved.some(([from]) => from === action.base);
    if (wasSaved || how?.isCopy || waiting.some(({ key }) => key === action.key)) action.key = newKey();
    if (how) action.base = standing(game, action.base, how);
    return result(actions.put(action));
  });
}

// The server has written entry `entry`, after entry `after`. What else waits for the same game and was
// entered on a page of entry `after` comes next; what somebody else wrote is for the server to find.
export function saved(action, { entry, after }, wasQueued) {
  return run("readwrite", async (actions, games) => {
    if (action.done) await putIfThere(actions, action);
    else actions.delete(action.id);
    // It was there already, as a game is that was begun before.
    if (!(entry > action.base)) return; // or it wrote nothing
    for (const other of await result(actions.getAll())) {
      if (other.game === action.game && other.id > action.id && other.base === after) actions.put({ ...other, base: entry });
    }
    const { seen, moved } = await known(games, action.game);
    const last = [...moved, [after, entry, wasQueued]].slice(-100);
    games.put({ seen: Math.max(seen, entry), moved: last }, action.game);
  });
}

// A page shows entry `number`. Answers the newest that this phone knows of.
export function seen(game, number) {
  return run("readwrite", async (_, games) => {
    const { seen, moved } = await known(games, game);
    if (number > seen) games.put({ seen: number, moved }, game);
    return Math.max(number, seen);
  });
}

// The entry that a form stands on now. A page that was open while what waited was saved, or an old copy,
// does not know of it; `ahead` shows nothing of the game, so it stands on all that this phone has seen.
function standing({ seen, moved }, base, { isCopy, isAhead }) {
  let at = isAhead ? Math.max(base, seen) : base;
  for (const [from, to, wasQueued] of moved) {
    if (from === at && (wasQueued || isCopy)) at = to;
  }
  return at;
}
