"""Topics, which the gateway starts and ends for their followers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Literal

from ..arguments import Seconds, Text, Time
from ..bodies import TopicOptions, UpdateContent
from ..paging import next_cursor
from ..replies.reading import Meta
from ..replies.topics import (
    Follower,
    FollowerList,
    FollowerPage,
    GrownFollowerList,
    PutTopic,
    ShrunkFollowerList,
    Topic,
    TopicPage,
    TopicSummary,
)
from ..replies.users import Success
from ..request import delete, get, segment_of_path, send, upload
from ..users_body import AsyncUserIds
from .base import AsyncRoutes


class AsyncTopics(AsyncRoutes):
    """The routes under `/api/v1/topics`. Uploads of followers work like those of segments."""

    async def put_topic(
        self,
        topic: Text,
        *,
        activity_type: Text,
        state: Literal["upcoming", "live", "ended"],
        content: UpdateContent | Mapping[str, object] | None = None,
        sequence: int | None = None,
        ends_at: Time | None = None,
        name: Text | None = None,
        options: TopicOptions | Mapping[str, object] | None = None,
    ) -> PutTopic:
        """Sets a topic's state and content. An equal call sets `unchanged` in the reply and pushes nothing.

        - content: required while the topic is live. A topic that goes live needs `title` and `message`.
        - sequence: an increasing number. Raises StaleSequence if the topic already has a higher one. Pass it if several
          threads or processes change a topic. Otherwise a retry can restore content that a later call has replaced.
        - name: a label for people.
        """
        body = {
            "activity_type": activity_type,
            "state": state,
            "sequence": sequence,
            "ends_at": ends_at,
            "content": content,
            "name": name,
            "options": options,
        }
        return await self._call(send(PutTopic, "PUT", _path(topic), body))

    async def get_topic(self, topic: Text) -> Topic:
        """Returns a topic with its followers and its activity's counts."""
        return await self._call(get(Topic, _path(topic)))

    async def delete_topic(self, topic: Text) -> Success:
        """Deletes a topic and its followers' choices. Ends a live topic first."""
        return await self._call(delete(Success, _path(topic), _deleted))

    async def list_topics(
        self, *, state: Text | None = None, limit: int | None = None, cursor: Text | None = None
    ) -> TopicPage:
        """Returns a page of topics, by name."""
        return await self._call(get(TopicPage, "/api/v1/topics", state=state, limit=limit, cursor=cursor))

    async def topics(self, *, state: Text | None = None, page_size: int | None = None) -> AsyncIterator[TopicSummary]:
        """Iterates over all topics, and requests pages as needed."""
        cursor: str | None = None
        while True:
            page = await self.list_topics(state=state, limit=page_size, cursor=cursor)
            for topic in page.topics:
                yield topic
            if (cursor := next_cursor(page.cursor, cursor)) is None:
                return

    async def replace_followers(self, topic: Text, insider_ids: AsyncUserIds, *, timeout: Seconds | None = None) -> FollowerList:
        """Replaces the customer's list of followers, in one step after the whole upload."""
        return await self._upload(upload(FollowerList, "PUT", _followers(topic)), insider_ids, timeout)

    async def add_followers(
        self,
        topic: Text,
        insider_ids: AsyncUserIds,
        *,
        timeout: Seconds | None = None,
        idempotency_key: Text | None = None,
    ) -> GrownFollowerList:
        """Adds users to the customer's list of followers."""
        call = upload(GrownFollowerList, "POST", _followers(topic), keyed=True, key=idempotency_key)
        return await self._upload(call, insider_ids, timeout)

    async def remove_followers(
        self, topic: Text, insider_ids: AsyncUserIds, *, timeout: Seconds | None = None
    ) -> ShrunkFollowerList:
        """Removes users from the customer's list. Users who follow in an app stay followers."""
        return await self._upload(upload(ShrunkFollowerList, "DELETE", _followers(topic)), insider_ids, timeout)

    async def list_followers(
        self, topic: Text, *, limit: int | None = None, cursor: Text | None = None
    ) -> FollowerPage:
        """Returns a page of followers, in no order."""
        return await self._call(get(FollowerPage, _followers(topic), limit=limit, cursor=cursor))

    async def followers(self, topic: Text, *, page_size: int | None = None) -> AsyncIterator[Follower]:
        """Iterates over all followers, and requests pages as needed."""
        cursor: str | None = None
        while True:
            page = await self.list_followers(topic, limit=page_size, cursor=cursor)
            for follower in page.followers:
                yield follower
            if (cursor := next_cursor(page.cursor, cursor)) is None:
                return


def _path(topic: Text) -> str:
    return f"/api/v1/topics/{segment_of_path(topic)}"


def _followers(topic: Text) -> str:
    return f"{_path(topic)}/followers"


def _deleted(meta: Meta) -> Success:
    return Success(meta=meta)
