// A whole life through the generated Go client. Ids of replies go into requests as they are.
//
//	life URL API_KEY SDK_KEY
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	api "fanfareapi"
)

const kind = "OrderAttributes"

var users = []string{"go-ann", "go-bob"}

// calls is the number of operations that have succeeded.
var calls int

func check(what string, answer *http.Response, err error) {
	if err != nil {
		body := ""
		if failed, ok := err.(*api.GenericOpenAPIError); ok {
			body = string(failed.Body())
		}
		fail("%s: %v %s", what, err, body)
	}
	if answer.StatusCode >= 300 {
		fail("%s: status %d", what, answer.StatusCode)
	}
	calls++
}

func expect(isSo bool, format string, values ...interface{}) {
	if !isSo {
		fail(format, values...)
	}
}

func fail(format string, values ...interface{}) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
	os.Exit(1)
}

// list writes users into a file, as JSON: of the forms of a list the client sends this one.
func list(names []string) *os.File {
	file, err := os.CreateTemp("", "users-*.json")
	if err != nil {
		fail("no file: %v", err)
	}
	users := api.NewSegmentUsers(names)
	if err = json.NewEncoder(file).Encode(users); err != nil {
		fail("no list: %v", err)
	}
	if _, err = file.Seek(0, 0); err != nil {
		fail("no file: %v", err)
	}
	return file
}

func main() {
	configuration := api.NewConfiguration()
	configuration.Servers = api.ServerConfigurations{{URL: os.Args[1]}}
	client := api.NewAPIClient(configuration)
	customer := context.WithValue(context.Background(), api.ContextAccessToken, os.Args[2])
	app := context.WithValue(context.Background(), api.ContextAccessToken, os.Args[3])

	report(client, app)
	storeSegment(client, customer)
	activity := start(client, customer)
	sync(client, app, activity)
	update(client, customer, activity)
	schedule(client, customer, activity)
	topic(client, customer)
	webhook(client, customer)
	end(client, customer, activity)
	forget(client, customer)
	fmt.Println(calls)
}

func report(client *api.APIClient, app context.Context) {
	for number, user := range users {
		device := api.NewDevice(user, "phone-of-"+user, api.IOS, "18.1", true, true, api.PRODUCTION)
		_, answer, err := client.DevicesAPI.PutDevice(app).Device(*device).Execute()
		check("putDevice", answer, err)
		token := api.NewPushToStartToken(user, "phone-of-"+user, fmt.Sprintf("%064x", 0xD000+number))
		_, answer, err = client.DevicesAPI.PutPushToStartToken(app).PushToStartToken(*token).Execute()
		check("putPushToStartToken", answer, err)
	}
}

func storeSegment(client *api.APIClient, customer context.Context) {
	stored, answer, err := client.SegmentsAPI.PutSegment(customer, "go-life").Body(list(users[:1])).Execute()
	check("putSegment", answer, err)
	expect(stored.Users == 1, "%d users stored", stored.Users)
	grown, answer, err := client.SegmentsAPI.AddSegmentUsers(customer, "go-life").Body(list(users)).Execute()
	check("addSegmentUsers", answer, err)
	expect(grown.Users == 2, "%d users in the segment", grown.Users)
}

func start(client *api.APIClient, customer context.Context) string {
	request := api.NewRegisterRequest(kind, time.Now().Add(2*time.Hour))
	request.SetSegment("go-life")
	options := api.NewRegisterOptions()
	options.SetHeal(api.HEALING_NEVER)
	options.SetChannel(api.CHANNEL_USE_NEVER)
	request.SetOptions(*options)
	registered, answer, err := client.ActivitiesAPI.RegisterActivity(customer).RegisterRequest(*request).Execute()
	check("registerActivity", answer, err)
	expect(registered.RegisteredDevices == 2, "%d devices registered", registered.RegisteredDevices)
	content := api.NewStartContent("Order", "It is on its way", map[string]interface{}{"eta": 12})
	begin := api.NewStartRequest(registered.ActivityId, kind, *content)
	started, answer, err := client.ActivitiesAPI.StartActivity(customer).StartRequest(*begin).Execute()
	check("startActivity", answer, err)
	expect(started.SessionsTriggered == 2, "%d devices started", started.SessionsTriggered)
	_, answer, err = client.ActivitiesAPI.StartActivity(customer).StartRequest(*begin).Execute()
	expect(err != nil && answer != nil && answer.StatusCode == 409, "a second start is not refused: %v", err)
	refused, isError := err.(*api.GenericOpenAPIError).Model().(api.Error)
	expect(isError && refused.Code == api.ALREADY_STARTED, "a second start is refused otherwise: %v", err)
	return registered.ActivityId
}

func sync(client *api.APIClient, app context.Context, activity string) {
	for number, user := range users {
		request := api.NewSync(user, "phone-of-"+user)
		request.SetActivityId(activity)
		request.SetToken(fmt.Sprintf("%064x", 0xE000+number))
		request.SetSystemActivityId("go-" + user)
		reply, answer, err := client.DevicesAPI.ReportSync(app).Sync(*request).Execute()
		check("reportSync", answer, err)
		expect(reply.GetActivityId() == activity, "the sync is for %s", reply.GetActivityId())
	}
}

func update(client *api.APIClient, customer context.Context, activity string) {
	content := api.NewUpdateContent(map[string]interface{}{"eta": 4})
	request := api.NewUpdateRequest(kind, *content)
	request.SetActivityId(activity)
	updated, answer, err := client.ActivitiesAPI.UpdateActivity(customer).UpdateRequest(*request).Execute()
	check("updateActivity", answer, err)
	expect(updated.SessionsTriggered == 2, "%d devices updated", updated.SessionsTriggered)
	broadcast, answer, err := client.ReadingAPI.GetBroadcast(customer, updated.GetBroadcastId()).Execute()
	check("getBroadcast", answer, err)
	expect(broadcast.State == api.BROADCAST_STATE_DONE && broadcast.ActivityId == activity, "%v", broadcast)
	devices, answer, err := client.ReadingAPI.ListActivityDevices(customer, activity).State(api.DEVICE_STATE_ACTIVE).Execute()
	check("listActivityDevices", answer, err)
	expect(len(devices.Devices) == 2, "%d devices listed", len(devices.Devices))
}

func schedule(client *api.APIClient, customer context.Context, activity string) {
	request := api.NewScheduleRequest(api.END)
	request.SetActivityId(activity)
	request.SetOffset(600)
	made, answer, err := client.SchedulesAPI.CreateSchedule(customer).ScheduleRequest(*request).Execute()
	check("createSchedule", answer, err)
	listed, answer, err := client.SchedulesAPI.ListSchedules(customer).ActivityId(activity).Execute()
	check("listSchedules", answer, err)
	expect(len(listed.Schedules) == 1 && listed.Schedules[0].ScheduleId == made.ScheduleId, "%v", listed)
	cancel := api.NewCancelSchedulesRequest()
	cancel.SetActivityId(activity)
	cancel.SetScheduleId(made.ScheduleId)
	canceled, answer, err := client.SchedulesAPI.CancelSchedules(customer).CancelSchedulesRequest(*cancel).Execute()
	check("cancelSchedules", answer, err)
	expect(canceled.Canceled == 1, "%d schedules canceled", canceled.Canceled)
}

func topic(client *api.APIClient, customer context.Context) {
	request := api.NewTopicRequest(kind, api.TOPIC_STATE_UPCOMING)
	_, answer, err := client.TopicsAPI.PutTopic(customer, "go:match").TopicRequest(*request).Execute()
	check("putTopic", answer, err)
	followers, answer, err := client.TopicsAPI.ReplaceFollowers(customer, "go:match").Body(list(users)).Execute()
	check("replaceFollowers", answer, err)
	expect(followers.Users == 2, "%d followers", followers.Users)
	_, answer, err = client.TopicsAPI.DeleteTopic(customer, "go:match").Execute()
	check("deleteTopic", answer, err)
}

func webhook(client *api.APIClient, customer context.Context) {
	// A name that never has an address (RFC 6761).
	request := api.NewWebhookRequest("https://hooks.invalid/go")
	request.SetTypes([]api.EventType{api.BROADCAST_FINISHED})
	made, answer, err := client.EventsAPI.CreateWebhook(customer).WebhookRequest(*request).Execute()
	check("createWebhook", answer, err)
	read, answer, err := client.EventsAPI.GetWebhook(customer, made.Id).Execute()
	check("getWebhook", answer, err)
	expect(read.Id == made.Id, "another webhook was read")
	_, answer, err = client.EventsAPI.DeleteWebhook(customer, made.Id).Execute()
	check("deleteWebhook", answer, err)
}

func end(client *api.APIClient, customer context.Context, activity string) {
	request := api.NewEndRequest(kind)
	request.SetActivityId(activity)
	ended, answer, err := client.ActivitiesAPI.EndActivity(customer).EndRequest(*request).Execute()
	check("endActivity", answer, err)
	expect(ended.SessionsTriggered == 2, "%d devices ended", ended.SessionsTriggered)
}

func forget(client *api.APIClient, customer context.Context) {
	for _, user := range users {
		erased, answer, err := client.UsersAPI.EraseUser(customer, user).Execute()
		check("eraseUser", answer, err)
		expect(erased.Removed.Devices == 1, "%d devices erased", erased.Removed.Devices)
	}
	_, answer, err := client.SegmentsAPI.DeleteSegment(customer, "go-life").Execute()
	check("deleteSegment", answer, err)
}
